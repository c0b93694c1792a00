import CStrataRuntime
import StrataModel

/// The registered objects of one store and entity hierarchy by reference.
///
/// The table does not retain the objects; they leave it when they are deallocated, on any thread, and are not found any
/// more from then on.
@safe final class IdentityTable {
    // Exclusivity is not checked at run time in the hottest loop.
    /// The objects while their references are close to each other.
    @safe @exclusivity(unchecked) private var dense = DenseSlots()
    /// The objects otherwise; without capacity while unused.
    @safe @exclusivity(unchecked) private var hashed = HashedSlots()
    @safe @exclusivity(unchecked) private var used = 0
    @safe @exclusivity(unchecked) private var expected = 0
    @safe @exclusivity(unchecked) private var kept: [ObjectIdentifier: ManagedObject]?
    private let lock: IdentityLock

    init(_ lock: IdentityLock) { self.lock = lock }

    deinit {
        dense.deallocate()
        hashed.deallocate()
    }

    /// The number of objects, including those being deallocated.
    var count: Int { lock.withLock { used } }

    subscript(reference: Int64) -> ManagedObject? {
        var found: ManagedObject?
        lock.withLock { found = unsafe IdentityTable.living(present(reference)) }
        return found
    }

    var all: [ManagedObject] {
        var found: [ManagedObject] = []
        lock.withLock {
            found.reserveCapacity(used)
            for slot in 0..<capacity { if let object = unsafe IdentityTable.living(self[slot: slot]) { found.append(object) } }
        }
        return found
    }

    /// Runs `body` for each object until it returns false, from the slot of a reference on; retains few of them
    /// meanwhile.
    ///
    /// - Precondition: `body` registers no objects here.
    func forEach(from reference: Int64 = 0, _ body: (ManagedObject) -> Bool) {
        var (slot, rest, some) = (0, capacity, [ManagedObject]())
        lock.withLock { slot = isDense ? dense.slot(of: reference) : hashed.slot(of: reference) }
        repeat {
            some.removeAll(keepingCapacity: true)
            lock.withLock {
                while rest > 0 && some.count < 64 {
                    if let object = unsafe IdentityTable.living(self[slot: slot]) { some.append(object) }
                    rest -= 1
                    slot = slot + 1 == capacity ? 0 : slot + 1
                }
            }
            for object in some where !body(object) { return }
        } while !some.isEmpty
    }

    func insert(_ object: ManagedObject, _ reference: Int64) { lock.withLock { put(object, reference) } }

    /// Inserts the objects in a range of an array by their IDs.
    func insert(_ objects: [ManagedObject], _ range: Range<Int>) {
        lock.withLock { objects.forEachUncounted(in: range) { put($0, $0.objectID.reference) } }
    }

    func reserve(_ more: Int) { lock.withLock { expected = used + more } }

    /// Removes an object; does nothing where another one has its slot.
    func remove(_ object: ManagedObject, _ reference: Int64) { lock.withLock { takeOut(object, reference) } }

    func removeAll() {
        let released = kept
        lock.withLock {
            if kept != nil { kept = [:] }
            dense.deallocate()
            hashed.deallocate()
            (used, expected) = (0, 0)
        }
        withExtendedLifetime(released) {}
    }

    var keepsObjects: Bool {
        get { kept != nil }
        set {
            if newValue == keepsObjects { return }
            let living = newValue ? Dictionary(uniqueKeysWithValues: all.map { (ObjectIdentifier($0), $0) }) : nil
            let released = kept
            lock.withLock { kept = living }
            withExtendedLifetime(released) {}
        }
    }

    func detachAll() {
        lock.withLock { for slot in 0..<capacity { if let object = unsafe self[slot: slot] { unsafe IdentityTable.detach(object) } } }
    }

    /// Detaches an object from its context; one that is being deallocated exists as long as it waits for the lock.
    private static func detach(_ object: Unmanaged<ManagedObject>) {
        unsafe object._withUnsafeGuaranteedRef { $0.managedObjectContext = nil }
    }

    /// Returns an object unless it is being deallocated.
    @inline(__always)
    private static func living(_ object: Unmanaged<ManagedObject>?) -> ManagedObject? {
        guard let object = unsafe object, let counted = unsafe strata_try_retain(object.toOpaque()) else { return nil }
        return unsafe Unmanaged<ManagedObject>.fromOpaque(counted).takeRetainedValue()
    }

    private var isDense: Bool { hashed.capacity == 0 }

    private var capacity: Int { isDense ? dense.capacity : hashed.capacity }

    private subscript(slot slot: Int) -> Unmanaged<ManagedObject>? { unsafe isDense ? dense[slot: slot] : hashed[slot: slot].object }

    /// Returns the object with a reference, also one that is being deallocated.
    @inline(__always)
    private func present(_ reference: Int64) -> Unmanaged<ManagedObject>? { unsafe isDense ? dense[reference] : hashed[reference] }

    private func put(_ object: ManagedObject, _ reference: Int64) {
        makeSlot(reference)
        let object = unsafe Unmanaged.passUnretained(object)
        if let other = unsafe isDense ? dense.put(object, reference) : hashed.put(object, reference) {
            // One that is being deallocated must not look for its context, which may be deallocated by then.
            if unsafe other.toOpaque() != object.toOpaque() { unsafe IdentityTable.detach(other) }
        } else {
            used += 1
        }
        if kept != nil { unsafe object._withUnsafeGuaranteedRef { kept?[ObjectIdentifier($0)] = $0 } }
    }

    /// Removes an object; the caller holds the lock.
    func takeOut(_ object: ManagedObject, _ reference: Int64) {
        if kept != nil { kept?[ObjectIdentifier(object)] = nil }
        let object = unsafe Unmanaged.passUnretained(object)
        guard unsafe isDense ? dense.free(object, reference) : hashed.free(object, reference) else { return }
        used -= 1
        if used == 0 { expected = 0 }
    }

    @inline(__always)
    private func makeSlot(_ reference: Int64) {
        if isDense {
            if !dense.hasSlot(reference) && !dense.makeSlot(reference, used: used, expected: expected) { hash() }
        } else if !hashed.hasRoom(for: used + 1) {
            growHashed(for: reference)
        }
    }

    /// Moves the objects to hashed slots, as their references are not close to each other.
    private func hash() {
        let scattered = HashedSlots(capacity: HashedSlots.capacity(for: max(used + 1, expected)))
        for slot in 0..<dense.capacity {
            if let object = unsafe dense[slot: slot] { unsafe scattered.put(object, dense.reference(ofSlot: slot)) }
        }
        dense.deallocate()
        hashed = scattered
    }

    /// Makes room for one more object; moves the objects to dense slots where their references have become close.
    private func growHashed(for reference: Int64) {
        let old = hashed
        let buckets = (0..<old.capacity).lazy.map { old[slot: $0] }.filter { unsafe $0.object != nil }
        let (low, high) = buckets.reduce((reference, reference)) { (min($0.0, $1.reference), max($0.1, $1.reference)) }
        // Well below the limit of `hash()`, so that the table does not alternate.
        if DenseSlots.areClose(low, high, count: (used + 1) / 2) {
            dense = DenseSlots(low, high, expected: expected)
            for bucket in buckets { if let object = unsafe bucket.object { unsafe dense.put(object, bucket.reference) } }
            hashed = HashedSlots()
        } else {
            hashed = HashedSlots(capacity: HashedSlots.capacity(for: max(used + used / 2, expected)))
            for bucket in buckets { if let object = unsafe bucket.object { unsafe hashed.put(object, bucket.reference) } }
        }
        var released = old
        released.deallocate()
    }
}
