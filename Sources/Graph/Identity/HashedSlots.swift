/// The slots of objects whose references lie anywhere: open addressing over plain words.
@safe struct HashedSlots {
    // Plain memory, which the table frees: arrays would check bounds, uniqueness and exclusivity at each probe.
    @safe private var buckets: UnsafeMutablePointer<Bucket>?
    private(set) var capacity = 0

    // Safe: an object leaves the table as it is deallocated.
    @safe struct Bucket {
        var reference: Int64
        var object: Unmanaged<ManagedObject>?
    }

    init() {}

    /// - Parameter capacity: A power of two.
    init(capacity: Int) {
        self.capacity = capacity
        let buckets = UnsafeMutablePointer<Bucket>.allocate(capacity: capacity)
        unsafe buckets.initialize(repeating: Bucket(reference: 0, object: nil), count: capacity)
        unsafe self.buckets = buckets
    }

    mutating func deallocate() {
        unsafe buckets?.deallocate()
        self = HashedSlots()
    }

    func hasRoom(for count: Int) -> Bool { count * 4 <= capacity * 3 }

    static func capacity(for count: Int) -> Int {
        var capacity = 16
        while count * 4 > capacity * 3 { capacity *= 2 }
        return capacity
    }

    subscript(reference: Int64) -> Unmanaged<ManagedObject>? { unsafe self[slot: slot(of: reference)].object }

    @inline(__always)
    subscript(slot slot: Int) -> Bucket { unsafe buckets.map { unsafe $0[slot] } ?? Bucket(reference: 0, object: nil) }

    /// Returns the slot that an object with a reference has, or would have.
    ///
    /// - Precondition: There is room for one more.
    @inline(__always)
    func slot(of reference: Int64) -> Int {
        var slot = preferredSlot(reference)
        while unsafe self[slot: slot].object != nil && self[slot: slot].reference != reference { slot = (slot + 1) & (capacity - 1) }
        return slot
    }

    @inline(__always)
    private func preferredSlot(_ reference: Int64) -> Int {
        // Four consecutive references share a cache line: references mostly ascend, and so do the rows of a fetch.
        let group = (UInt64(bitPattern: reference >> 2) &* 0x9E37_79B9_7F4A_7C15) >> 32
        return Int(truncatingIfNeeded: group << 2 | UInt64(bitPattern: reference & 3)) & (capacity - 1)
    }

    /// Puts an object in its slot.
    ///
    /// - Returns: The object that had it.
    /// - Precondition: There is room for one more.
    @discardableResult
    func put(_ object: Unmanaged<ManagedObject>, _ reference: Int64) -> Unmanaged<ManagedObject>? {
        let slot = slot(of: reference)
        let other = unsafe self[slot: slot].object
        unsafe buckets?[slot] = Bucket(reference: reference, object: object)
        return unsafe other
    }

    /// Frees the slot of an object, and closes the gap so that no search ends early; returns whether it had it.
    func free(_ object: Unmanaged<ManagedObject>, _ reference: Int64) -> Bool {
        var gap = slot(of: reference)
        guard unsafe self[slot: gap].object?.toOpaque() == object.toOpaque() else { return false }
        var next = (gap + 1) & (capacity - 1)
        while unsafe self[slot: next].object != nil {
            let distance = (next - preferredSlot(self[slot: next].reference)) & (capacity - 1)
            if distance >= (next - gap) & (capacity - 1) {
                buckets?[gap] = self[slot: next]
                gap = next
            }
            next = (next + 1) & (capacity - 1)
        }
        unsafe buckets?[gap].object = nil
        return true
    }
}
