import StrataModel
import Synchronization

/// The typed name of a property, declared once beside a managed object's class.
///
/// ```swift
/// final class Person: ManagedObject {
///     static let name = Key<String>("name")
///     var name: String? { get { self[Self.name] } set { self[Self.name] = newValue } }
/// }
/// ```
/// A key remembers where the entity used last keeps the property, so declare it `static let` rather than making it anew.
public struct Key<Value>: Sendable {
    /// The name, or the path through to-one relationships.
    public let path: String
    /// Where the entity used last keeps the property.
    public let place = KeyPlace()

    /// A key of a property.
    public init(_ path: String) { self.path = path }

    /// The key of a property of this relationship's destination.
    public func appending<Next>(_ key: Key<Next>) -> Key<Next> { Key<Next>(path + "." + key.path) }
}

/// Remembers where an entity keeps a property.
public final class KeyPlace: Sendable {
    private let entity = Atomic<UInt>(0)
    private let property = Atomic<Int>(-1)
    private let sequence = Atomic<UInt>(0)

    init() {}

    /// The index of the property in the entity; asks `find` where the entity is not the one used last.
    ///
    /// - Returns: `nil` when `find` finds none.
    /// - Complexity: O(1).
    public func property(in entity: EntityDescription, find: (EntityDescription) -> Int?) -> Int? {
        let identity = UInt(bitPattern: Unmanaged.passUnretained(entity).toOpaque())
        let before = sequence.load(ordering: .acquiring)
        if before & 1 == 0, self.entity.load(ordering: .relaxed) == identity {
            let found = property.load(ordering: .acquiring)
            if sequence.load(ordering: .relaxed) == before { return found }
        }
        guard let found = find(entity) else { return nil }
        if before & 1 == 0, sequence.compareExchange(expected: before, desired: before + 1, ordering: .acquiringAndReleasing).exchanged {
            property.store(found, ordering: .relaxed)
            self.entity.store(identity, ordering: .relaxed)
            sequence.store(before + 2, ordering: .releasing)
        }
        return found
    }
}

/// The expression of a property's value, for building predicates from names.
public func key(_ path: String) -> QueryExpression { .keyPath(path) }
