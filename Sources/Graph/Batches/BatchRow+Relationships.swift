public import StrataCoordinator
public import StrataModel
public import StrataQuery

extension BatchRow {
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
