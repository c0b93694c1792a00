public import StrataModel
public import Synchronization

/// The typed name of a property, declared once beside a managed object's class.
///
/// ```swift
/// final class Person: ManagedObject {
///     static let name = Key<String>("name")
///     var name: String? { get { self[Self.name] } set { self[Self.name] = newValue } }
/// }
/// ```
/// A key remembers where the entity used last keeps the property, so declare it `static let` rather than making it anew.
@dynamicMemberLookup
public struct Key<Value>: Sendable {
    /// The name, or the path through to-one relationships.
    public let path: String
    /// The path as an expression, made once for all predicates.
    public let expression: QueryExpression
    /// Where the entity used last keeps the property.
    public let keyPlace: KeyPlace

    /// A key of a property.
    public init(_ path: String) {
        self.path = path
        expression = path == "SELF" ? .evaluatedObject : .keyPath(path)
        keyPlace = KeyPlace()
    }

    /// Creates the same key for values of another type, with the same key slot cache.
    @inlinable
    public init<Other>(_ key: Key<Other>) { (path, expression, keyPlace) = (key.path, key.expression, key.keyPlace) }

    /// The key of a property of this relationship's destination.
    public func appending<Next>(_ key: Key<Next>) -> Key<Next> { Key<Next>(path + "." + key.path) }
}

/// Remembers where the entity used last keeps a property.
public final class KeyPlace: Sendable {
    /// The entity's serial number and the packed place; one word, so that no thread sees half of it.
    @usableFromInline let remembered = Atomic<UInt64>(0)

    /// Creates an empty cache.
    public init() {}

    /// Returns the slot of the property in the entity with a serial number, where it is the entity used last; `nil`
    /// otherwise.
    @inlinable
    public func place(serial: UInt32) -> PropertyPlace? {
        let word = remembered.load(ordering: .relaxed)
        return UInt32(truncatingIfNeeded: word >> 32) == serial ? PropertyPlace(packed: UInt32(truncatingIfNeeded: word)) : nil
    }

    /// Returns the slot of the property in the entity; calls `find` for its index where the entity is not the one used
    /// last.
    ///
    /// - Returns: `nil` when `find` finds none.
    /// - Complexity: O(1).
    public func place(in entity: EntityDescription, find: (EntityDescription) -> Int?) -> PropertyPlace? {
        if let place = place(serial: entity.serial) { return place }
        guard let index = find(entity) else { return nil }
        let place = entity.places[index]
        if let packed = place.packed { remembered.store(UInt64(entity.serial) << 32 | UInt64(packed), ordering: .relaxed) }
        return place
    }
}

/// The expression of a property's value, for building predicates from names.
public func key(_ path: String) -> QueryExpression { .keyPath(path) }
