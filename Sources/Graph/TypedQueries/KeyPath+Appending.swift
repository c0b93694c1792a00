public import StrataModel
public import StrataQuery

// Steps from a to-one relationship to a property of its destination, of keys and key paths in any mixture. The path of
// an attribute of a natively supported type keeps its class; for other properties the result is a key.

extension KeyPath where Root: ManagedObject, Value: ObjectValue {
    /// Returns the path to an attribute of the destination: `(\Novel.author).appending(\Author.name)`.
    public func appending<P: QueryPath>(_ path: P) -> TypedPath<P.Term, ObjectPredicate<Root>>
    where P.Condition == ObjectPredicate<Value.Object> { TypedPath(self.path + "." + path.path) }

    /// Returns the path to an attribute of the destination.
    public func appending<Next: ValueConvertible>(_ key: Key<Next>) -> TypedPath<Next, ObjectPredicate<Root>> {
        TypedPath(path + "." + key.path)
    }

    /// Returns the key of an attribute of the destination, of a type that is only `Codable`, or composite.
    @_disfavoredOverload
    public func appending<Next>(_ keyPath: KeyPath<Value.Object, Next>) -> Key<Next> { Key(path + "." + keyPath.path) }

    /// Returns the key of an attribute of the destination, of a type that is only `Codable`, or composite.
    @_disfavoredOverload
    public func appending<Next>(_ keyPath: KeyPath<Value.Object, Next?>) -> Key<Next> { Key(path + "." + keyPath.path) }

    /// Returns the key of a relationship of the destination, or of an attribute of a type that is only `Codable`, or
    /// composite.
    @_disfavoredOverload
    public func appending<Next: NamedKey>(_ key: Next) -> Next { Next(path + "." + key.path) }

    /// Returns the key of a to-one relationship of the destination.
    public func appending<Next: ManagedObject>(_ keyPath: KeyPath<Value.Object, Next>) -> ToOne<Next> { ToOne(path + "." + keyPath.path) }

    /// Returns the key of a to-one relationship of the destination.
    public func appending<Next: ManagedObject>(_ keyPath: KeyPath<Value.Object, Next?>) -> ToOne<Next> { ToOne(path + "." + keyPath.path) }

    /// Returns the key of a to-many relationship of the destination.
    public func appending<Next: ObjectCollectionValue>(_ keyPath: KeyPath<Value.Object, Next>) -> ToMany<Next.Member> {
        ToMany(path + "." + keyPath.path)
    }
}

extension KeyPath where Root: ManagedObject, Value: ManagedObject {
    /// Returns the path to an attribute of the destination: `(\Novel.author).appending(\Author.name)`.
    public func appending<P: QueryPath>(_ path: P) -> TypedPath<P.Term, ObjectPredicate<Root>>
    where P.Condition == ObjectPredicate<Value> { TypedPath(self.path + "." + path.path) }

    /// Returns the path to an attribute of the destination.
    public func appending<Next: ValueConvertible>(_ key: Key<Next>) -> TypedPath<Next, ObjectPredicate<Root>> {
        TypedPath(path + "." + key.path)
    }

    /// Returns the key of an attribute of the destination, of a type that is only `Codable`, or composite.
    @_disfavoredOverload
    public func appending<Next>(_ keyPath: KeyPath<Value, Next>) -> Key<Next> { Key(path + "." + keyPath.path) }

    /// Returns the key of an attribute of the destination, of a type that is only `Codable`, or composite.
    @_disfavoredOverload
    public func appending<Next>(_ keyPath: KeyPath<Value, Next?>) -> Key<Next> { Key(path + "." + keyPath.path) }

    /// Returns the key of a relationship of the destination, or of an attribute of a type that is only `Codable`, or
    /// composite.
    @_disfavoredOverload
    public func appending<Next: NamedKey>(_ key: Next) -> Next { Next(path + "." + key.path) }

    /// Returns the key of a to-one relationship of the destination.
    public func appending<Next: ManagedObject>(_ keyPath: KeyPath<Value, Next>) -> ToOne<Next> { ToOne(path + "." + keyPath.path) }

    /// Returns the key of a to-one relationship of the destination.
    public func appending<Next: ManagedObject>(_ keyPath: KeyPath<Value, Next?>) -> ToOne<Next> { ToOne(path + "." + keyPath.path) }

    /// Returns the key of a to-many relationship of the destination.
    public func appending<Next: ObjectCollectionValue>(_ keyPath: KeyPath<Value, Next>) -> ToMany<Next.Member> {
        ToMany(path + "." + keyPath.path)
    }
}

extension ToOne {
    /// Returns the key of an attribute of the destination: `Novel.author.appending(\Author.name)`.
    public func appending<Next: PropertyValue>(_ keyPath: KeyPath<Destination, Next>) -> Key<Next.Stored> { Key(path + "." + keyPath.path) }

    /// Returns the key of an attribute of the destination, of a type that is only `Codable`, or composite.
    @_disfavoredOverload
    public func appending<Next>(_ keyPath: KeyPath<Destination, Next>) -> Key<Next> { Key(path + "." + keyPath.path) }

    /// Returns the key of an attribute of the destination, of a type that is only `Codable`, or composite.
    @_disfavoredOverload
    public func appending<Next>(_ keyPath: KeyPath<Destination, Next?>) -> Key<Next> { Key(path + "." + keyPath.path) }

    /// Returns the key of a to-one relationship of the destination.
    public func appending<Next: ManagedObject>(_ keyPath: KeyPath<Destination, Next>) -> ToOne<Next> {
        ToOne<Next>(path + "." + keyPath.path)
    }

    /// Returns the key of a to-one relationship of the destination.
    public func appending<Next: ManagedObject>(_ keyPath: KeyPath<Destination, Next?>) -> ToOne<Next> {
        ToOne<Next>(path + "." + keyPath.path)
    }

    /// Returns the key of a to-many relationship of the destination.
    public func appending<Next: ObjectCollectionValue>(_ keyPath: KeyPath<Destination, Next>) -> ToMany<Next.Member> {
        ToMany<Next.Member>(path + "." + keyPath.path)
    }
}
