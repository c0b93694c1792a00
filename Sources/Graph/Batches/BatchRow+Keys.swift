public import StrataCoordinator
public import StrataModel
public import StrataQuery

// Rows by the properties of a class, as by its typed keys: `row[\Book.title] = "Emma"`.

extension BatchRow {
    /// The value of an attribute; `nil` where none was given.
    ///
    /// An attribute of a to-one destination identifies it: `row[\Book.author?.name] = "Jane Austen"`.
    public subscript<Object: ManagedObject, V: PropertyValue>(keyPath: KeyPath<Object, V>) -> V.Stored? {
        get { self[Key<V.Stored>(KeyPathProbe.key(of: keyPath))] }
        set { self[Key<V.Stored>(KeyPathProbe.key(of: keyPath))] = newValue }
    }

    /// The value of an attribute of a to-one destination, by which the relationship is set; `nil` where none was given.
    public subscript<V, Condition>(path: TypedPath<V, Condition>) -> V? {
        get { self[path.path].flatMap { V(value: $0) } }
        set { self[path.path] = newValue?.value ?? .null }
    }

    /// The value of a composite attribute; `nil` where none of its elements was given one.
    public subscript<Object: ManagedObject, V: CompositePropertyValue>(keyPath: KeyPath<Object, V>) -> V.Composite? {
        get { self[Key<V.Composite>(KeyPathProbe.key(of: keyPath))] }
        set { self[Key<V.Composite>(KeyPathProbe.key(of: keyPath))] = newValue }
    }

    /// The case of an enumeration whose raw value an attribute keeps; `nil` where none was given.
    @_disfavoredOverload
    public subscript<Object: ManagedObject, V: RawRepresentable & Codable & Sendable>(keyPath: KeyPath<Object, V>) -> V?
    where V.RawValue: ValueConvertible {
        get { self[Key<V>(KeyPathProbe.key(of: keyPath))] }
        set { self[Key<V>(KeyPathProbe.key(of: keyPath))] = newValue }
    }

    /// The case of an enumeration whose raw value an attribute keeps; `nil` where none was given.
    @_disfavoredOverload
    public subscript<Object: ManagedObject, V: RawRepresentable & Codable & Sendable>(keyPath: KeyPath<Object, V?>) -> V?
    where V.RawValue: ValueConvertible {
        get { self[Key<V>(KeyPathProbe.key(of: keyPath))] }
        set { self[Key<V>(KeyPathProbe.key(of: keyPath))] = newValue }
    }

    /// The `Codable` value of a transformable attribute; `nil` where none was given.
    @_disfavoredOverload
    public subscript<Object: ManagedObject, V: Codable & Sendable>(keyPath: KeyPath<Object, V>) -> V? {
        get { self[Key<V>(KeyPathProbe.key(of: keyPath))] }
        set { self[Key<V>(KeyPathProbe.key(of: keyPath))] = newValue }
    }

    /// The `Codable` value of a transformable attribute; `nil` where none was given.
    @_disfavoredOverload
    public subscript<Object: ManagedObject, V: Codable & Sendable>(keyPath: KeyPath<Object, V?>) -> V? {
        get { self[Key<V>(KeyPathProbe.key(of: keyPath))] }
        set { self[Key<V>(KeyPathProbe.key(of: keyPath))] = newValue }
    }

    /// The destination of a to-one relationship, by its ID; `nil` where none was given, or it was given by a key.
    public subscript<Object: ManagedObject, Destination: ManagedObject>(keyPath: KeyPath<Object, Destination>) -> ObjectID? {
        get { self[ToOne<Destination>(keyPath.path)] }
        set { self[ToOne<Destination>(keyPath.path)] = newValue }
    }

    /// The destination of a to-one relationship, by its ID; `nil` where none was given, or it was given by a key.
    public subscript<Object: ManagedObject, Destination: ManagedObject>(keyPath: KeyPath<Object, Destination?>) -> ObjectID? {
        get { self[ToOne<Destination>(keyPath.path)] }
        set { self[ToOne<Destination>(keyPath.path)] = newValue }
    }

    /// The IDs of the destinations of a to-many relationship, ordered where it is; none where they were given by a key.
    public subscript<Object: ManagedObject, Members: ObjectCollectionValue>(keyPath: KeyPath<Object, Members>) -> [ObjectID] {
        get { self[ToMany<Members.Member>(keyPath.path)] }
        set { self[ToMany<Members.Member>(keyPath.path)] = newValue }
    }

    /// The IDs of the destinations of a to-many relationship, ordered where it is; none where they were given by a key.
    public subscript<Object: ManagedObject, Members: ObjectCollectionValue>(keyPath: KeyPath<Object, Members?>) -> [ObjectID] {
        get { self[ToMany<Members.Member>(keyPath.path)] }
        set { self[ToMany<Members.Member>(keyPath.path)] = newValue }
    }

    /// The ID of the destination of a to-one relationship; `nil` where none was given, or it was given by a key.
    public subscript<Destination>(relationship: ToOne<Destination>) -> ObjectID? {
        get { self[relationship.path]?.objectID }
        set { self[relationship.path] = newValue.map { .objectID($0) } ?? .null }
    }

    /// The IDs of the destinations of a to-many relationship, in their order where it has one; empty where they were
    /// given by a key.
    public subscript(relationship: some ToManyKey) -> [ObjectID] {
        get {
            guard case .list(let values)? = self[relationship.path] else { return [] }
            return values.compactMap(\.objectID)
        }
        set { self[relationship.path] = .list(newValue.map { .objectID($0) }) }
    }

    /// The destinations of a to-many relationship, by the values of an attribute, each of which one object has; in
    /// their order where the relationship is ordered.
    ///
    /// ```swift
    /// row[Book.subjects, by: Subject.name] = ["Fiction", "Courtship"]
    /// ```
    public subscript<R: QueryCollection, V: ValueConvertible>(relationship: R, by key: Key<V>) -> [V] where R: PropertyKey {
        get { values(relationship, key) }
        set { self[relationship.path + "." + key.path] = .list(newValue.map(\.value)) }
    }

    /// The destinations of a to-many relationship, by the values of an attribute of their class that is unique.
    public subscript<R: QueryCollection, V: PropertyValue>(relationship: R, by keyPath: KeyPath<R.Element, V>) -> [V.Stored]
    where R: PropertyKey, R.Element: ManagedObject {
        get { values(relationship, keyPath) }
        set { self[relationship.path + "." + keyPath.path] = .list(newValue.map(\.value)) }
    }

    private func values<V: ValueConvertible>(_ relationship: some PropertyKey, _ key: some PropertyKey) -> [V] {
        guard case .list(let values)? = self[relationship.path + "." + key.path] else { return [] }
        return values.compactMap { V(value: $0) }
    }
}
