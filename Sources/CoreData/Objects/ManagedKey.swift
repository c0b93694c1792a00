public import StrataQuery
import Synchronization

/// The name of a property, for the accessors that the package plugin writes.
///
/// It caches the property's slot in the entity used last, so there is one constant for each property of a class.
public final class ManagedKey: Sendable {
    @usableFromInline let key: Key<Never>
    /// Whether the property's class is that of some of its destinations only; zero until that is known.
    let narrowing = Atomic<UInt8>(0)

    /// Creates the key of a property.
    public init(_ name: String) { key = Key(name) }

    /// The name of the property.
    public var name: String { key.path }
}

/// The names of a class's properties, for the accessors that the package plugin writes.
public final class ManagedKeys: Sendable {
    @usableFromInline let keys: [ManagedKey]

    /// Creates the keys of some properties.
    ///
    /// - Parameter names: Their names, each on a line.
    public init(_ names: String) { keys = names.split(separator: "\n").map { ManagedKey(String($0)) } }

    /// Returns the key at an index.
    ///
    /// - Precondition: The index is that of one of the names.
    @inlinable
    public subscript(index: Int) -> ManagedKey { keys[index] }
}
