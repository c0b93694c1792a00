public import StrataCoordinator
public import StrataModel
public import StrataQuery

extension BatchRow {
    /// The object that a to-one relationship leads to, by its ID; `nil` where none was given, or it was given by a key.
    public subscript<Destination>(relationship: ToOne<Destination>) -> ObjectID? {
        get { self[relationship.path]?.objectID }
        set { self[relationship.path] = newValue.map { .objectID($0) } ?? .null }
    }

    /// The objects that a to-many relationship leads to, by their IDs; none where they were given by a key.
    public subscript<Destination>(relationship: ToMany<Destination>) -> [ObjectID] {
        get { ids(relationship.path) }
        set { self[relationship.path] = .list(newValue.map { .objectID($0) }) }
    }

    /// The objects that an ordered relationship leads to, by their IDs, in their order; none where they were given by a key.
    public subscript<Destination>(relationship: ToManyOrdered<Destination>) -> [ObjectID] {
        get { ids(relationship.path) }
        set { self[relationship.path] = .list(newValue.map { .objectID($0) }) }
    }

    /// The objects that a to-many relationship leads to, by the values of an attribute, of which each is that of one object.
    ///
    /// ```swift
    /// row[Book.subjects, by: Subject.name] = ["Fiction", "Courtship"]
    /// ```
    public subscript<Destination, V: ValueConvertible>(relationship: ToMany<Destination>, by key: Key<V>) -> [V] {
        get { values(relationship.path, key) }
        set { self[relationship.path + "." + key.path] = .list(newValue.map(\.value)) }
    }

    /// The objects that an ordered relationship leads to, in their order, by the values of an attribute, of which each is that of one object.
    public subscript<Destination, V: ValueConvertible>(relationship: ToManyOrdered<Destination>, by key: Key<V>) -> [V] {
        get { values(relationship.path, key) }
        set { self[relationship.path + "." + key.path] = .list(newValue.map(\.value)) }
    }

    private func ids(_ path: String) -> [ObjectID] {
        guard case .list(let values)? = self[path] else { return [] }
        return values.compactMap(\.objectID)
    }

    private func values<V: ValueConvertible>(_ path: String, _ key: Key<V>) -> [V] {
        guard case .list(let values)? = self[path + "." + key.path] else { return [] }
        return values.compactMap { V(value: $0) }
    }
}
