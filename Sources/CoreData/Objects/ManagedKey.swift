public import StrataQuery

/// The name of a property, for the accessors that the package plugin writes.
///
/// It remembers where the entity used last keeps the property, so it is kept, one for each property of a class.
public struct ManagedKey: Sendable {
    @usableFromInline let key: Key<Never>

    /// The key of a property.
    public init(_ name: String) { key = Key(name) }

    /// The name of the property.
    public var name: String { key.path }
}
