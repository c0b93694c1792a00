import StrataModel
public import StrataQuery

/// The typed name of a to-one relationship, declared beside a managed object's class as a `static let`.
public struct ToOne<Destination: ManagedObject>: Sendable, PropertyKey {
    /// The name of the relationship, or a path that ends with it.
    public let path: String
    let slot: KeySlot

    /// Creates a key of a relationship.
    public init(_ path: String) { self.init(path, KeySlot()) }

    /// Creates a key that shares the slot cache of another one.
    package init(_ path: String, _ slot: KeySlot) { (self.path, self.slot) = (path, slot) }

    /// Returns the key of an attribute of the destination, for predicates and sort orders.
    public func appending<Value>(_ key: Key<Value>) -> Key<Value> { Key(path + "." + key.path) }

    /// Returns the key of a to-one relationship of the destination, for predicates.
    public func appending<Next>(_ key: ToOne<Next>) -> ToOne<Next> { ToOne<Next>(path + "." + key.path) }

    /// Returns the key of a to-many relationship of the destination, for predicates.
    public func appending<Next>(_ key: ToMany<Next>) -> ToMany<Next> { ToMany<Next>(path + "." + key.path) }

    /// Returns the key of an ordered relationship of the destination, for predicates.
    public func appending<Next>(_ key: ToManyOrdered<Next>) -> ToManyOrdered<Next> { ToManyOrdered<Next>(path + "." + key.path) }
}

/// The typed name of a to-many relationship without order, declared beside a managed object's class as a `static let`.
public struct ToMany<Destination: ManagedObject>: Sendable, PropertyKey {
    /// The name of the relationship, or a path that ends with it.
    public let path: String
    let slot: KeySlot

    /// Creates a key of a relationship.
    public init(_ path: String) { self.init(path, KeySlot()) }

    /// Creates a key that shares the slot cache of another one.
    package init(_ path: String, _ slot: KeySlot) { (self.path, self.slot) = (path, slot) }
}

/// The typed name of an ordered relationship, declared beside a managed object's class as a `static let`.
public struct ToManyOrdered<Destination: ManagedObject>: Sendable, PropertyKey {
    /// The name of the relationship, or a path that ends with it.
    public let path: String
    let slot: KeySlot

    /// Creates a key of a relationship.
    public init(_ path: String) { self.init(path, KeySlot()) }

    /// Creates a key that shares the slot cache of another one.
    package init(_ path: String, _ slot: KeySlot) { (self.path, self.slot) = (path, slot) }
}
