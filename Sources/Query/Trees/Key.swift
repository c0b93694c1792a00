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
/// A key remembers where the entity used last keeps the property, so declare it `static let` rather than making it
/// anew.
@dynamicMemberLookup
public struct Key<Value>: Sendable {
    // The only member, as an accessor copies the key.
    /// The cached slot of the property in the entity used last.
    public let keySlot: KeySlot

    /// Creates a key of a property.
    public init(_ path: String) { keySlot = KeySlot(path) }

    /// The name, or the path through to-one relationships.
    public var path: String { keySlot.path }
    /// The path as an expression, made once for all predicates.
    public var expression: QueryExpression { keySlot.expression }

    /// Creates the same key for values of another type, with the same key slot cache.
    @inlinable
    public init<Other>(_ key: Key<Other>) { keySlot = key.keySlot }

    /// Returns the key of a property of this relationship's destination.
    public func appending<Next>(_ key: Key<Next>) -> Key<Next> { Key<Next>(path + "." + key.path) }
}

/// The cached slot of a property in the entity used last.
public final class KeySlot: Sendable {
    /// The entity's serial number and the packed slot, in one word for atomic access.
    @usableFromInline let remembered = Atomic<UInt64>(0)
    let path: String
    let expression: QueryExpression

    /// Creates an empty cache for the property at a path.
    public init(_ path: String = "") {
        self.path = path
        expression = path == "SELF" ? .evaluatedObject : .keyPath(path)
    }

    /// Returns the slot of the property in the entity with a serial number, where it is the entity used last; `nil`
    /// otherwise.
    @inlinable
    public func slot(serial: UInt32) -> PropertySlot? {
        let word = remembered.load(ordering: .relaxed)
        return UInt32(truncatingIfNeeded: word >> 32) == serial ? PropertySlot(packed: UInt32(truncatingIfNeeded: word)) : nil
    }

    /// Returns the slot of the property in the entity; calls `find` for its index where the entity is not the one used
    /// last.
    ///
    /// - Returns: `nil` when `find` finds none.
    /// - Complexity: O(1).
    public func slot(in entity: EntityDescription, find: (EntityDescription) -> Int?) -> PropertySlot? {
        if let known = slot(serial: entity.serial) { return known }
        guard let index = find(entity) else { return nil }
        let slot = entity.propertySlots[index]
        if let packed = slot.packed { remembered.store(UInt64(entity.serial) << 32 | UInt64(packed), ordering: .relaxed) }
        return slot
    }
}

/// Returns the expression of a property's value, for building predicates from names.
public func key(_ path: String) -> QueryExpression { .keyPath(path) }
