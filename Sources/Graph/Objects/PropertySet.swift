/// Some of the properties of an entity, by index.
struct PropertySet {
    private var first: UInt64 = 0
    /// Those beyond the first 64.
    private var others: Set<Int> = []

    var isEmpty: Bool { first == 0 && others.isEmpty }

    @inline(__always)
    func contains(_ property: Int) -> Bool {
        property < UInt64.bitWidth ? first & (1 << UInt64(property)) != 0 : others.contains(property)
    }

    @inline(__always)
    mutating func insert(_ property: Int) {
        if property < UInt64.bitWidth { first |= 1 << UInt64(property) } else { others.insert(property) }
    }

    mutating func remove(_ property: Int) {
        if property < UInt64.bitWidth { first &= ~(1 << UInt64(property)) } else { others.remove(property) }
    }
}
