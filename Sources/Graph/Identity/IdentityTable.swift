import CStrataRuntime
import StrataModel

/// The registered objects of one store and entity tree by reference.
///
/// The table does not keep the objects alive; they leave it as they go, on any thread. One that is about to is found no more.
@safe final class IdentityTable {
    // Exclusivity is not checked at run time in the hottest loop there is.
    /// Where the objects are while their references lie close to each other.
    @safe @exclusivity(unchecked) private var dense = DenseSlots()
    /// Where they are otherwise; without capacity while they are not.
    @safe @exclusivity(unchecked) private var hashed = HashedSlots()
    @safe @exclusivity(unchecked) private var used = 0
    /// How many objects there will be soon.
    @safe @exclusivity(unchecked) private var expected = 0
    @safe @exclusivity(unchecked) private var kept: [ObjectIdentifier: ManagedObject]?
    /// Guards all of these.
    private let lock: IdentityLock

    init(_ lock: IdentityLock) { self.lock = lock }

    deinit {
        dense.deallocate()
        hashed.deallocate()
    }

    // MARK: - Looking up

    /// How many objects are here, or just about to leave.
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

    /// Runs `body` for each object until it answers false; keeps few of them alive meanwhile.
    ///
    /// - Precondition: `body` registers no objects here.
    func forEach(_ body: (ManagedObject) -> Bool) {
        var (slot, some) = (0, [ManagedObject]())
        repeat {
            some.removeAll(keepingCapacity: true)
            lock.withLock {
                while slot < capacity && some.count < 64 {
                    if let object = unsafe IdentityTable.living(self[slot: slot]) { some.append(object) }
                    slot += 1
                }
            }
            for object in some where !body(object) { return }
        } while !some.isEmpty
    }

    // MARK: - Registering

    func insert(_ object: ManagedObject, _ reference: Int64) { lock.withLock { put(object, reference) } }

    /// Makes room for more objects at once.
    func reserve(_ more: Int) { lock.withLock { expected = used + more } }

    /// Removes an object; does nothing where another one has its place.
    func remove(_ object: ManagedObject, _ reference: Int64) { lock.withLock { takeOut(object, reference) } }

    /// Removes an object that goes, which holds the lock.
    func removeGoing(_ object: ManagedObject, _ reference: Int64) { takeOut(object, reference) }

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

    /// Whether the objects are kept alive.
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

    /// Has all objects be without their context.
    func letGo() {
        lock.withLock { for slot in 0..<capacity { if let object = unsafe self[slot: slot] { unsafe IdentityTable.letGo(object) } } }
    }

    // MARK: - With the lock held

    /// Has an object be without its context; one that goes is there as long as it waits for the lock.
    private static func letGo(_ object: Unmanaged<ManagedObject>) {
        unsafe object._withUnsafeGuaranteedRef { $0.managedObjectContext = nil }
    }

    /// Returns an object, unless it goes just now.
    @inline(__always)
    private static func living(_ object: Unmanaged<ManagedObject>?) -> ManagedObject? {
        guard let object = unsafe object, let counted = unsafe strata_try_retain(object.toOpaque()) else { return nil }
        return unsafe Unmanaged<ManagedObject>.fromOpaque(counted).takeRetainedValue()
    }

    private var isDense: Bool { hashed.capacity == 0 }

    private var capacity: Int { isDense ? dense.capacity : hashed.capacity }

    private subscript(slot slot: Int) -> Unmanaged<ManagedObject>? {
        unsafe isDense ? dense[slot: slot] : hashed[slot: slot].object
    }

    /// Returns the object that has a reference, be it that it goes just now.
    @inline(__always)
    private func present(_ reference: Int64) -> Unmanaged<ManagedObject>? { unsafe isDense ? dense[reference] : hashed[reference] }

    private func put(_ object: ManagedObject, _ reference: Int64) {
        makeSlot(reference)
        let object = unsafe Unmanaged.passUnretained(object)
        if let other = unsafe isDense ? dense.put(object, reference) : hashed.put(object, reference) {
            // One that goes just now: it is not to look for its context, which may be gone by then.
            if unsafe other.toOpaque() != object.toOpaque() { unsafe IdentityTable.letGo(other) }
        } else {
            used += 1
        }
        if kept != nil { unsafe object._withUnsafeGuaranteedRef { kept?[ObjectIdentifier($0)] = $0 } }
    }

    private func takeOut(_ object: ManagedObject, _ reference: Int64) {
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

    /// Has the objects be where their references do not lie close to each other.
    private func hash() {
        let scattered = HashedSlots(capacity: HashedSlots.capacity(for: max(used + 1, expected)))
        for slot in 0..<dense.capacity {
            if let object = unsafe dense[slot: slot] { unsafe scattered.put(object, dense.reference(ofSlot: slot)) }
        }
        dense.deallocate()
        hashed = scattered
    }

    /// Makes room for one more object: where references have come to lie close to each other, each has its place again.
    private func growHashed(for reference: Int64) {
        let old = hashed
        let buckets = (0..<old.capacity).lazy.map { old[slot: $0] }.filter { unsafe $0.object != nil }
        let (low, high) = buckets.reduce((reference, reference)) { (min($0.0, $1.reference), max($0.1, $1.reference)) }
        // Well below what has them be scattered, so that they do not go to and fro.
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
