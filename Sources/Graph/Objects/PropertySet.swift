import StrataModel

/// A set of an entity's properties, by index.
struct PropertySet {
    private var first: UInt64 = 0
    private var others: Set<Int> = []

    init() {}

    init(_ property: Int) { insert(property) }

    init(named names: Set<String>, of entity: EntityDescription) {
        for property in entity.properties where names.contains(property.eventName) { insert(property.index) }
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

    func union(_ other: PropertySet) -> PropertySet {
        var union = self
        union.first |= other.first
        if !other.others.isEmpty { union.others.formUnion(other.others) }
        return union
    }

    @inline(__always)
    func isSuperset(of other: PropertySet) -> Bool {
        first & other.first == other.first && (other.others.isEmpty || others.isSuperset(of: other.others))
    }

    mutating func remove(_ property: Int) {
        if property < UInt64.bitWidth { first &= ~(1 << UInt64(property)) } else { others.remove(property) }
    }
}
