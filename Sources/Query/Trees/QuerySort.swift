import StrataModel

/// One key of a sort order.
///
/// No value comes before every value; text orders by its UTF-8 bytes, unless folded. Objects with equal keys follow in the order of their
/// IDs, the same on every store.
public struct QuerySort: Sendable, Hashable {
    /// The path of an attribute, reached through to-one relationships.
    public var keyPath: String
    /// Whether the order runs upward.
    public var ascending: Bool
    /// How text is prepared.
    public var options: QueryComparison.Options

    /// A sort key.
    public init(_ keyPath: String, ascending: Bool = true, _ options: QueryComparison.Options = []) {
        self.keyPath = keyPath
        self.ascending = ascending
        self.options = options
    }
}
