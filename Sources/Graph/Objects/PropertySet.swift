import StrataModel

/// A set of an entity's properties, by index.
struct PropertySet {
    fileprivate var first: UInt64 = 0
    fileprivate var others: Set<Int> = []

    init() {}

    fileprivate init(_ first: UInt64, _ others: Set<Int>) { (self.first, self.others) = (first, others) }

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

/// The set of properties of one object: a word, and nothing to release, while all are among the first 64.
// Safe: it alone retains the others.
@safe struct PropertiesOfObject: ~Copyable {
    private var first: UInt64 = 0
    @safe private var others: Unmanaged<Others>?

    private final class Others {
        var properties: Set<Int>

        init(_ properties: Set<Int>) { self.properties = properties }
    }

    init() { others = nil }

    deinit { unsafe others?.release() }

    /// The set as a value.
    var set: PropertySet {
        get { PropertySet(first, unsafe others?._withUnsafeGuaranteedRef { $0.properties } ?? []) }
        set {
            first = newValue.first
            let old = others
            others = unsafe newValue.others.isEmpty ? nil : Unmanaged.passRetained(Others(newValue.others))
            unsafe old?.release()
        }
    }

    var isEmpty: Bool { unsafe first == 0 && others == nil }

    @inline(__always)
    func contains(_ property: Int) -> Bool {
        property < UInt64.bitWidth ? first & (1 << UInt64(property)) != 0 : set.contains(property)
    }

    @inline(__always)
    mutating func insert(_ property: Int) {
        if property < UInt64.bitWidth { first |= 1 << UInt64(property) } else { change { $0.insert(property) } }
    }

    mutating func remove(_ property: Int) {
        if property < UInt64.bitWidth { first &= ~(1 << UInt64(property)) } else { change { $0.remove(property) } }
    }

    private mutating func change(_ body: (inout PropertySet) -> Void) {
        var changed = set
        body(&changed)
        set = changed
    }
}
