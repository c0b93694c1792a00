/// The section and the index of an object among the results of a ``FetchedResultsController``.
public struct ResultIndexPath: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The index of the section.
    public var section: Int
    /// The index of the object within the section.
    public var item: Int

    /// Creates an index path; both indexes count from 0.
    public init(item: Int, section: Int) {
        self.section = section
        self.item = item
    }

    public static func < (lhs: ResultIndexPath, rhs: ResultIndexPath) -> Bool { (lhs.section, lhs.item) < (rhs.section, rhs.item) }

    /// The indexes, as `[section, item]`.
    public var description: String { "[\(section), \(item)]" }
}
