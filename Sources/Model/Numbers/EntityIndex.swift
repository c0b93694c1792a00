/// The place of an entity among ``ManagedObjectModel/entities``: the pre-order of the inheritance trees, so that the entities of a tree, or of
/// a branch of one, are a range.
@frozen
public struct EntityIndex: TypedIndex {
    /// The place, from 0; Core Data's entity number is one more.
    public let rawValue: Int

    @inlinable public init(rawValue: Int) { self.rawValue = rawValue }
}
