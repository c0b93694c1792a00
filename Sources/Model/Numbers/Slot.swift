/// The index of a value in the rows of an entity, see ``RowLayout``.
@frozen
public struct Slot: TypedIndex {
    /// The index, from 0.
    public let rawValue: Int

    @inlinable public init(rawValue: Int) { self.rawValue = rawValue }
}
