import StrataModel
import StrataQuery

/// What a planner needs of an engine: its indexes, what lies in parts of them, and rows.
package protocol IndexedRows: RowResolver {
    /// A part of an index, found.
    associatedtype Entries

    /// Whether walking a whole index from entry to row costs less than sorting the rows.
    static var sortsByIndex: Bool { get }

    /// The number of rows of a tree.
    func rowCount(root: Int) throws -> Int

    /// The indexes over a tree.
    func indexes(root: Int) -> [IndexDescription]

    /// Finds a part of an index; `nil` where the keys are none that the index can look up.
    func find(_ match: IndexMatch, root: Int) throws -> Entries?

    /// Whether every entry of a part is what was looked for.
    func isExact(_ entries: Entries) -> Bool

    /// The number of entries, of which no more than one over `limit` need be counted.
    func count(_ entries: inout Entries, upTo limit: Int) throws -> Int

    /// The references of a part, upward, each once.
    func references(_ entries: Entries) throws -> [Int64]

    /// Visits rows by reference until `body` returns false: those with some references, which are upward, or all of a tree.
    ///
    /// - Parameter predicate: What `body` will test the rows with.
    func visit(root: Int, _ references: [Int64]?, for predicate: ResolvedPredicate?, _ body: (Row) throws -> Bool) throws

    /// The references that an object is linked with.
    ///
    /// - Parameter side: The side that the object is on.
    func linked(_ table: Int, _ side: LinkSide, _ reference: Int64) throws -> [Int64]
}

/// Where a plan finds the rows to look at.
package enum RowAccess<Entries> {
    /// Nowhere: the conditions contradict each other.
    case nothing
    /// In the whole tree.
    case scan
    /// At some references, upward, each once.
    case references([Int64])
    /// In part of an index.
    case index(IndexMatch, Entries)
}
