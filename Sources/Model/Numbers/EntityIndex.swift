/// The index of an entity in ``ManagedObjectModel/entities``: the pre-order of the entity hierarchies, so that the
/// entities of a hierarchy, or of a branch of one, are a range.
@frozen
public struct EntityIndex: TypedIndex {
    /// The index, from 0; Core Data's entity number is one more.
    public let rawValue: Int

    @inlinable public init(rawValue: Int) { self.rawValue = rawValue }
}
