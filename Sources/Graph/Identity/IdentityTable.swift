import StrataModel

/// The registered objects of one store and entity tree by reference: open addressing over plain words.
///
/// The table does not keep the objects alive; they leave it as they go.
final class IdentityTable {
    // Plain memory, freed with the table: arrays would check bounds, uniqueness and exclusivity at each probe of the hottest loop there is.
    @exclusivity(unchecked) private var slots: UnsafeMutablePointer<Slot>
    @exclusivity(unchecked) private var mask: Int
    @exclusivity(unchecked) private(set) var count = 0

    private struct Slot {
        var key: Int64
        var object: Unmanaged<ManagedObject>?
    }

    init() {
        slots = IdentityTable.allocate(16)
        mask = 15
    }

    deinit { slots.deallocate() }

    private static func allocate(_ capacity: Int) -> UnsafeMutablePointer<Slot> {
        let slots = UnsafeMutablePointer<Slot>.allocate(capacity: capacity)
        slots.initialize(repeating: Slot(key: 0, object: nil), count: capacity)
        return slots
    }

    @inline(__always)
    private func home(_ key: Int64) -> Int {
        // Four consecutive references share a cache line: references mostly ascend, and so do the rows of a fetch.
        let group = (UInt64(bitPattern: key >> 2) &* 0x9E37_79B9_7F4A_7C15) >> 32
        return Int(truncatingIfNeeded: group << 2 | UInt64(bitPattern: key & 3)) & mask
    }

    subscript(key: Int64) -> ManagedObject? {
        var place = home(key)
        while let object = slots[place].object {
            if slots[place].key == key { return object.takeUnretainedValue() }
            place = (place + 1) & mask
        }
        return nil
    }

    func insert(_ object: ManagedObject, _ key: Int64) {
        if (count + 1) * 4 > (mask + 1) * 3 { resize((mask + 1) * 2) }
        var place = home(key)
        while slots[place].object != nil && slots[place].key != key { place = (place + 1) & mask }
        if slots[place].object == nil { count += 1 }
        slots[place] = Slot(key: key, object: Unmanaged.passUnretained(object))
    }

    /// Makes room for more objects at once.
    func reserve(_ more: Int) {
        var capacity = mask + 1
        while (count + more) * 4 > capacity * 3 { capacity *= 2 }
        if capacity > mask + 1 { resize(capacity) }
    }

    /// Removes an object; does nothing where another one has its place.
    func remove(_ object: ManagedObject, _ key: Int64) {
        let pointer = Unmanaged.passUnretained(object).toOpaque()
        var place = home(key)
        while let found = slots[place].object, slots[place].key != key || found.toOpaque() != pointer { place = (place + 1) & mask }
        guard slots[place].object != nil else { return }
        count -= 1
        // Closes the gap so that no search ends too early.
        var gap = place
        var next = (place + 1) & mask
        while slots[next].object != nil {
            let distance = (next - home(slots[next].key)) & mask
            if distance >= (next - gap) & mask {
                slots[gap] = slots[next]
                gap = next
            }
            next = (next + 1) & mask
        }
        slots[gap].object = nil
    }

    var all: [ManagedObject] { (0...mask).compactMap { slots[$0].object?.takeUnretainedValue() } }

    /// Runs `body` for each object without keeping it alive longer.
    func forEach(_ body: (ManagedObject) -> Void) {
        for place in 0...mask { slots[place].object.map { body($0.takeUnretainedValue()) } }
    }

    private func resize(_ capacity: Int) {
        let (old, oldCapacity) = (slots, mask + 1)
        slots = IdentityTable.allocate(capacity)
        mask = capacity - 1
        for place in 0..<oldCapacity where old[place].object != nil {
            var target = home(old[place].key)
            while slots[target].object != nil { target = (target + 1) & mask }
            slots[target] = old[place]
        }
        old.deallocate()
    }
}
