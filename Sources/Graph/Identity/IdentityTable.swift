import CStrataRuntime
import StrataModel

/// The registered objects of one store and entity tree by reference: open addressing over plain words.
///
/// The table does not keep the objects alive; they leave it as they go, on any thread. One that is about to is found no more.
@safe final class IdentityTable {
    // Plain memory, freed with the table: arrays would check bounds, uniqueness and exclusivity at each probe of the hottest loop there is.
    @safe @exclusivity(unchecked) private var buckets: UnsafeMutablePointer<Bucket>
    @safe @exclusivity(unchecked) private var mask: Int
    @safe @exclusivity(unchecked) private var used = 0
    @safe @exclusivity(unchecked) private var kept: [ObjectIdentifier: ManagedObject]?
    /// Guards all of these.
    private let lock: IdentityLock

    // Safe: an object leaves the table as it goes.
    @safe private struct Bucket {
        var reference: Int64
        var object: Unmanaged<ManagedObject>?

        /// The object, unless it goes just now.
        @inline(__always)
        var living: ManagedObject? {
            guard let object = unsafe object, let counted = unsafe strata_try_retain(object.toOpaque()) else { return nil }
            return unsafe Unmanaged<ManagedObject>.fromOpaque(counted).takeRetainedValue()
        }
    }

    init(_ lock: IdentityLock) {
        self.lock = lock
        buckets = unsafe IdentityTable.allocate(16)
        mask = 15
    }

    deinit { unsafe buckets.deallocate() }

    private static func allocate(_ capacity: Int) -> UnsafeMutablePointer<Bucket> {
        let buckets = UnsafeMutablePointer<Bucket>.allocate(capacity: capacity)
        unsafe buckets.initialize(repeating: Bucket(reference: 0, object: nil), count: capacity)
        return unsafe buckets
    }

    // MARK: - Looking up

    /// How many objects are here, or just about to leave.
    var count: Int { lock.withLock { used } }

    subscript(reference: Int64) -> ManagedObject? {
        var found: ManagedObject?
        lock.withLock { found = find(reference) }
        return found
    }

    var all: [ManagedObject] {
        var found: [ManagedObject] = []
        lock.withLock {
            found.reserveCapacity(used)
            for place in 0...mask { if let object = buckets[place].living { found.append(object) } }
        }
        return found
    }

    /// Runs `body` for each object until it answers false; keeps few of them alive meanwhile.
    ///
    /// - Precondition: `body` registers no objects here.
    func forEach(_ body: (ManagedObject) -> Bool) {
        var (place, some) = (0, [ManagedObject]())
        repeat {
            some.removeAll(keepingCapacity: true)
            lock.withLock {
                while place <= mask && some.count < 64 {
                    if let object = buckets[place].living { some.append(object) }
                    place += 1
                }
            }
            for object in some where !body(object) { return }
        } while !some.isEmpty
    }

    // MARK: - Registering

    func insert(_ object: ManagedObject, _ reference: Int64) { lock.withLock { put(object, reference) } }

    /// Makes room for more objects at once.
    func reserve(_ more: Int) { lock.withLock { grow(for: more) } }

    /// Removes an object; does nothing where another one has its place.
    func remove(_ object: ManagedObject, _ reference: Int64) { lock.withLock { takeOut(object, reference) } }

    /// Removes an object that goes, which holds the lock.
    func removeGoing(_ object: ManagedObject, _ reference: Int64) { takeOut(object, reference) }

    /// Removes all objects; keeps the room where they needed it.
    func removeAll() {
        let released = kept
        lock.withLock {
            if kept != nil { kept = [:] }
            if used == 0 { return }
            if (mask + 1) > max(16, 4 * used) {
                unsafe buckets.deallocate()
                buckets = unsafe IdentityTable.allocate(16)
                mask = 15
            } else {
                unsafe buckets.update(repeating: Bucket(reference: 0, object: nil), count: mask + 1)
            }
            used = 0
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
        lock.withLock { for place in 0...mask { if let object = unsafe buckets[place].object { unsafe IdentityTable.letGo(object) } } }
    }

    // MARK: - With the lock held

    /// Has an object be without its context; one that goes is there as long as it waits for the lock.
    private static func letGo(_ object: Unmanaged<ManagedObject>) {
        unsafe object._withUnsafeGuaranteedRef { $0.managedObjectContext = nil }
    }

    @inline(__always)
    private func home(_ reference: Int64) -> Int {
        // Four consecutive references share a cache line: references mostly ascend, and so do the rows of a fetch.
        let group = (UInt64(bitPattern: reference >> 2) &* 0x9E37_79B9_7F4A_7C15) >> 32
        return Int(truncatingIfNeeded: group << 2 | UInt64(bitPattern: reference & 3)) & mask
    }

    @inline(__always)
    private func find(_ reference: Int64) -> ManagedObject? {
        var place = home(reference)
        while unsafe buckets[place].object != nil {
            if buckets[place].reference == reference { return buckets[place].living }
            place = (place + 1) & mask
        }
        return nil
    }

    private func put(_ object: ManagedObject, _ reference: Int64) {
        grow(for: 1)
        var place = home(reference)
        while unsafe buckets[place].object != nil && buckets[place].reference != reference { place = (place + 1) & mask }
        if let other = unsafe buckets[place].object {
            // One that goes just now: it is not to look for its context, which may be gone by then.
            if unsafe other.toOpaque() != Unmanaged.passUnretained(object).toOpaque() { unsafe IdentityTable.letGo(other) }
        } else {
            used += 1
        }
        buckets[place] = unsafe Bucket(reference: reference, object: Unmanaged.passUnretained(object))
        if kept != nil { kept?[ObjectIdentifier(object)] = object }
    }

    private func takeOut(_ object: ManagedObject, _ reference: Int64) {
        if kept != nil { kept?[ObjectIdentifier(object)] = nil }
        let pointer = unsafe Unmanaged.passUnretained(object).toOpaque()
        var place = home(reference)
        while let found = unsafe buckets[place].object, unsafe buckets[place].reference != reference || found.toOpaque() != pointer {
            place = (place + 1) & mask
        }
        guard unsafe buckets[place].object != nil else { return }
        used -= 1
        // Closes the gap so that no search ends too early.
        var gap = place
        var next = (place + 1) & mask
        while unsafe buckets[next].object != nil {
            let distance = (next - home(buckets[next].reference)) & mask
            if distance >= (next - gap) & mask {
                buckets[gap] = buckets[next]
                gap = next
            }
            next = (next + 1) & mask
        }
        unsafe buckets[gap].object = nil
    }

    @inline(__always)
    private func grow(for more: Int) {
        if (used + more) * 4 > (mask + 1) * 3 { resize(for: more) }
    }

    private func resize(for more: Int) {
        let (old, oldCapacity) = (buckets, mask + 1)
        var capacity = oldCapacity
        while (used + more) * 4 > capacity * 3 { capacity *= 2 }
        buckets = unsafe IdentityTable.allocate(capacity)
        mask = capacity - 1
        for place in 0..<oldCapacity where unsafe old[place].object != nil {
            var target = unsafe home(old[place].reference)
            while unsafe buckets[target].object != nil { target = (target + 1) & mask }
            buckets[target] = unsafe old[place]
        }
        unsafe old.deallocate()
    }
}
