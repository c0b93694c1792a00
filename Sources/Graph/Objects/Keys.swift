public import StrataModel
public import StrataQuery

/// The typed name of a to-one relationship, declared beside a managed object's class as a `static let`.
public struct ToOne<Destination: ManagedObject>: Sendable, NamedKey {
    /// The name of the relationship, or a path that ends with it.
    public let path: String
    let slot: KeySlot

    /// Creates a key of a relationship.
    public init(_ path: String) { self.init(path, KeySlot()) }

    /// Creates a key that shares the slot cache of another one.
    package init(_ path: String, _ slot: KeySlot) { (self.path, self.slot) = (path, slot) }

    /// Returns the key of a property of the destination, for predicates, and of an attribute for sort orders.
    public func appending<Next: NamedKey>(_ key: Next) -> Next { Next(path + "." + key.path) }
}

/// The typed name of a to-many relationship, ordered or not: ``ToMany`` or ``ToManyOrdered``.
public protocol ToManyKey<Destination>: NamedKey, Sendable {
    /// The class of the destinations.
    associatedtype Destination: ManagedObject
    /// Whether the relationship is ordered.
    static var cardinality: Relationship.Cardinality { get }
}

/// The typed name of a to-many relationship without order, declared beside a managed object's class as a `static let`.
public struct ToMany<Destination: ManagedObject>: ToManyKey {
    /// Without order.
    public static var cardinality: Relationship.Cardinality { .toMany }
    /// The name of the relationship, or a path that ends with it.
    public let path: String
    let slot: KeySlot

    /// Creates a key of a relationship.
    public init(_ path: String) { self.init(path, KeySlot()) }

    /// Creates a key that shares the slot cache of another one.
    package init(_ path: String, _ slot: KeySlot) { (self.path, self.slot) = (path, slot) }
}

/// The typed name of an ordered relationship, declared beside a managed object's class as a `static let`.
public struct ToManyOrdered<Destination: ManagedObject>: ToManyKey {
    /// With an order.
    public static var cardinality: Relationship.Cardinality { .ordered }
    /// The name of the relationship, or a path that ends with it.
    public let path: String
    let slot: KeySlot

    /// Creates a key of a relationship.
    public init(_ path: String) { self.init(path, KeySlot()) }

    /// Creates a key that shares the slot cache of another one.
    package init(_ path: String, _ slot: KeySlot) { (self.path, self.slot) = (path, slot) }
}

extension Relationship {
    /// Creates a to-one relationship named by the typed key of its class, optional by default.
    ///
    /// A model refuses a relationship whose destinations are of other classes than the key's.
    public init<D: ManagedObject>(_ key: ToOne<D>, to destination: String, inverse: String? = nil, deleteRule: DeleteRule = .nullify) {
        self.init(key.path, to: destination, inverse: inverse, .toOne, deleteRule: deleteRule)
        takes(D.self)
    }

    /// Creates a to-many relationship named by the typed key of its class, ordered by an ordered key, optional by
    /// default; checked as a to-one one.
    public init<K: ToManyKey>(
        _ key: K, to destination: String, inverse: String? = nil, deleteRule: DeleteRule = .nullify, minCount: Int = 0, maxCount: Int? = nil
    ) {
        self.init(
            key.path, to: destination, inverse: inverse, K.cardinality, deleteRule: deleteRule, minCount: minCount, maxCount: maxCount)
        takes(K.Destination.self)
    }

    private mutating func takes<D: ManagedObject>(_ type: D.Type) {
        destinationCheck = { objectClass in
            let found = objectClass as? ManagedObject.Type ?? ManagedObject.self
            return found is D.Type ? nil : "a key of \(D.self) does not fit objects of \(found)"
        }
    }
}
