import StrataModel

/// The registered objects of one store and entity tree by reference: open addressing over plain words.
///
/// The table does not keep the objects alive; they leave it as they go.
@safe final class IdentityTable {
    // Plain memory, freed with the table: arrays would check bounds, uniqueness and exclusivity at each probe of the hottest loop there is.
    @safe @exclusivity(unchecked) private var buckets: UnsafeMutablePointer<Bucket>
    @safe @exclusivity(unchecked) private var mask: Int
    @safe @exclusivity(unchecked) private(set) var count = 0

    /// Whether the objects are kept alive.
    var keepsObjects: Bool {
        get { kept != nil }
        set {
            if newValue == keepsObjects { return }
            kept = newValue ? Dictionary(uniqueKeysWithValues: all.map { (ObjectIdentifier($0), $0) }) : nil
        }
    }
    @safe @exclusivity(unchecked) private var kept: [ObjectIdentifier: ManagedObject]?

    // Safe: an object leaves the table as it goes.
    @safe private struct Bucket {
        var reference: Int64
        var object: Unmanaged<ManagedObject>?
    }

    init() {
        buckets = unsafe IdentityTable.allocate(16)
        mask = 15
    }

    deinit { unsafe buckets.deallocate() }

    private static func allocate(_ capacity: Int) -> UnsafeMutablePointer<Bucket> {
        let buckets = UnsafeMutablePointer<Bucket>.allocate(capacity: capacity)
        unsafe buckets.initialize(repeating: Bucket(reference: 0, object: nil), count: capacity)
        return unsafe buckets
    }

    @inline(__always)
    private func home(_ reference: Int64) -> Int {
        // Four consecutive references share a cache line: references mostly ascend, and so do the rows of a fetch.
        let group = (UInt64(bitPattern: reference >> 2) &* 0x9E37_79B9_7F4A_7C15) >> 32
        return Int(truncatingIfNeeded: group << 2 | UInt64(bitPattern: reference & 3)) & mask
    }

    subscript(reference: Int64) -> ManagedObject? {
        var place = home(reference)
        while let object = unsafe buckets[place].object {
            if buckets[place].reference == reference { return unsafe object.takeUnretainedValue() }
            place = (place + 1) & mask
        }
        return nil
    }

    func insert(_ object: ManagedObject, _ reference: Int64) {
        if (count + 1) * 4 > (mask + 1) * 3 { resize((mask + 1) * 2) }
        var place = home(reference)
        while unsafe buckets[place].object != nil && buckets[place].reference != reference { place = (place + 1) & mask }
        if unsafe buckets[place].object == nil { count += 1 }
        buckets[place] = unsafe Bucket(reference: reference, object: Unmanaged.passUnretained(object))
        if kept != nil { kept?[ObjectIdentifier(object)] = object }
    }

    /// Makes room for more objects at once.
    func reserve(_ more: Int) {
        var capacity = mask + 1
        while (count + more) * 4 > capacity * 3 { capacity *= 2 }
        if capacity > mask + 1 { resize(capacity) }
    }

    /// Removes an object; does nothing where another one has its place.
    func remove(_ object: ManagedObject, _ reference: Int64) {
        if kept != nil { kept?[ObjectIdentifier(object)] = nil }
        let pointer = unsafe Unmanaged.passUnretained(object).toOpaque()
        var place = home(reference)
        while let found = unsafe buckets[place].object, unsafe buckets[place].reference != reference || found.toOpaque() != pointer {
            place = (place + 1) & mask
        }
        guard unsafe buckets[place].object != nil else { return }
        count -= 1
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

    /// Removes all objects; keeps the room where they needed it.
    func removeAll() {
        if kept != nil { kept = [:] }
        if count == 0 { return }
        if (mask + 1) > max(16, 4 * count) {
            unsafe buckets.deallocate()
            buckets = unsafe IdentityTable.allocate(16)
            mask = 15
        } else {
            unsafe buckets.update(repeating: Bucket(reference: 0, object: nil), count: mask + 1)
        }
        count = 0
    }

    var all: [ManagedObject] { (0...mask).compactMap { unsafe buckets[$0].object?.takeUnretainedValue() } }

    /// Runs `body` for each object without keeping it alive longer.
    func forEach(_ body: (ManagedObject) -> Void) {
        for place in 0...mask { unsafe buckets[place].object.map { unsafe body($0.takeUnretainedValue()) } }
    }

    private func resize(_ capacity: Int) {
        let (old, oldCapacity) = (buckets, mask + 1)
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
