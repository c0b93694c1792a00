import StrataModel

/// Some of the properties of an entity, by index.
struct PropertySet {
    private var first: UInt64 = 0
    /// Those beyond the first 64.
    private var others: Set<Int> = []

    init() {}

    init(_ property: Int) { insert(property) }

    /// Creates the properties with some names, as far as there are any.
    init(named names: Set<String>, of entity: EntityDescription) {
        for property in entity.properties where names.contains(property.toldName) { insert(property.index) }
    }

    var isEmpty: Bool { first == 0 && others.isEmpty }

    @inline(__always)
    func contains(_ property: Int) -> Bool {
        property < UInt64.bitWidth ? first & (1 << UInt64(property)) != 0 : others.contains(property)
    }

    @inline(__always)
    mutating func insert(_ property: Int) {
        if property < UInt64.bitWidth { first |= 1 << UInt64(property) } else { others.insert(property) }
    }

    /// Returns the properties of both.
    func union(_ other: PropertySet) -> PropertySet {
        var union = self
        union.first |= other.first
        if !other.others.isEmpty { union.others.formUnion(other.others) }
        return union
    }

    /// Returns whether all of others are in here.
    @inline(__always)
    func isSuperset(of other: PropertySet) -> Bool {
        first & other.first == other.first && (other.others.isEmpty || others.isSuperset(of: other.others))
    }

    mutating func remove(_ property: Int) {
        if property < UInt64.bitWidth { first &= ~(1 << UInt64(property)) } else { others.remove(property) }
    }
}
