/// The slots of objects whose references are close to each other, one per reference from a base on.
///
/// Reading objects in the order of their references reads memory in its order.
@safe struct DenseSlots {
    // Plain memory, which the table frees: arrays would check bounds, uniqueness and exclusivity at each look-up.
    @safe private var slots: UnsafeMutablePointer<Unmanaged<ManagedObject>?>?
    private(set) var capacity = 0
    private var base: Int64 = 0

    /// The greatest number of references per object that still counts as dense.
    private static let sparsest: UInt64 = 3

    init() {}

    mutating func deallocate() {
        unsafe slots?.deallocate()
        self = DenseSlots()
    }

    @inline(__always)
    func hasSlot(_ reference: Int64) -> Bool { offset(reference) < UInt64(capacity) }

    @inline(__always)
    subscript(reference: Int64) -> Unmanaged<ManagedObject>? {
        unsafe hasSlot(reference) ? self[slot: Int(offset(reference))] : nil
    }

    @inline(__always)
    subscript(slot slot: Int) -> Unmanaged<ManagedObject>? { unsafe slots?[slot] ?? nil }

    /// Returns the slot of a reference, and the first one where it has none.
    func slot(of reference: Int64) -> Int { hasSlot(reference) ? Int(offset(reference)) : 0 }

    func reference(ofSlot slot: Int) -> Int64 { base &+ Int64(slot) }

    @inline(__always)
    private func offset(_ reference: Int64) -> UInt64 { UInt64(bitPattern: reference &- base) }

    /// Puts an object in its slot.
    ///
    /// - Returns: The object that had it.
    /// - Precondition: There is a slot for the reference.
    @discardableResult
    func put(_ object: Unmanaged<ManagedObject>, _ reference: Int64) -> Unmanaged<ManagedObject>? {
        let other = unsafe self[reference]
        unsafe slots?[Int(offset(reference))] = object
        return unsafe other
    }

    /// Frees the slot of an object; returns whether the object had it.
    func free(_ object: Unmanaged<ManagedObject>, _ reference: Int64) -> Bool {
        guard unsafe self[reference]?.toOpaque() == object.toOpaque() else { return false }
        unsafe slots?[Int(offset(reference))] = nil
        return true
    }

    /// Creates slots for the references from one to another, with room for more behind or before them.
    init(_ low: Int64, _ high: Int64, expected: Int, growsDown: Bool = false) {
        let needed = Int(high &- low) + 1
        capacity = max(needed + needed / 2, expected) + 16
        base = growsDown ? high &- Int64(capacity - 1) : low
        let slots = UnsafeMutablePointer<Unmanaged<ManagedObject>?>.allocate(capacity: capacity)
        unsafe slots.initialize(repeating: nil, count: capacity)
        unsafe self.slots = slots
    }

    /// Makes a slot for another reference, with room for more in its direction.
    ///
    /// - Parameters:
    ///   - used: The number of objects here.
    ///   - expected: The number of objects expected.
    /// - Returns: Whether there is one now: the references may lie too far apart.
    mutating func makeSlot(_ reference: Int64, used: Int, expected: Int) -> Bool {
        let living = used > 0 ? bounds : nil
        let (low, high) = (min(reference, living?.low ?? reference), max(reference, living?.high ?? reference))
        guard DenseSlots.areClose(low, high, count: max(used + 1, expected)) else { return false }
        let grown = DenseSlots(low, high, expected: expected, growsDown: living != nil && low == reference)
        if let living, let slots = slots {
            unsafe grown.slots?.advanced(by: Int(grown.offset(living.low)))
                .update(from: slots + Int(offset(living.low)), count: Int(living.high &- living.low) + 1)
        }
        unsafe slots?.deallocate()
        self = grown
        return true
    }

    private var bounds: (low: Int64, high: Int64)? {
        let taken = (0..<capacity).lazy.filter { unsafe self[slot: $0] != nil }
        guard let first = taken.first, let last = taken.last else { return nil }
        return (reference(ofSlot: first), reference(ofSlot: last))
    }

    /// Returns whether a range of references is dense enough to have a slot each.
    static func areClose(_ low: Int64, _ high: Int64, count: Int) -> Bool {
        UInt64(bitPattern: high &- low) < max(64, sparsest * UInt64(count))
    }
}
