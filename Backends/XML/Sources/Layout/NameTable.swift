/// Finds the value of a name given as bytes, without making a string.
struct NameTable: Sendable {
    private var slots: [Int32]
    private var names: [[UInt8]] = []
    private var values: [Int] = []

    /// Creates a table of distinct names.
    init(_ entries: [(name: [UInt8], value: Int)]) {
        var capacity = 8
        while capacity < entries.count * 2 { capacity *= 2 }
        slots = Array(repeating: -1, count: capacity)
        for (name, value) in entries {
            var slot = NameTable.hash(name) & (capacity - 1)
            while slots[slot] >= 0 { slot = (slot + 1) & (capacity - 1) }
            slots[slot] = Int32(names.count)
            names.append(name)
            values.append(value)
        }
    }

    /// Returns the value of a name, `nil` if it is missing.
    func value(of name: UnsafeRawBufferPointer) -> Int? {
        let mask = slots.count - 1
        var slot = unsafe NameTable.hash(name) & mask
        while slots[slot] >= 0 {
            let index = Int(slots[slot])
            if unsafe names[index].count == name.count && names[index].elementsEqual(name) { return values[index] }
            slot = (slot + 1) & mask
        }
        return nil
    }

    private static func hash(_ bytes: some Sequence<UInt8>) -> Int {
        // FNV-1a.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return Int(truncatingIfNeeded: hash ^ hash >> 32)
    }
}
