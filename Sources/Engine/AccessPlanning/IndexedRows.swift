import StrataEvaluation
import StrataModel
import StrataQuery
import StrataStore

/// What a planner needs of an engine: its indexes, what lies in parts of them, and rows.
public protocol IndexedRows: AnyObject, RowResolver {
    /// Whether walking a whole index from entry to row costs less than sorting the rows.
    var sortsByIndex: Bool { get }

    /// The number of rows of a tree.
    ///
    /// - Throws: What reading throws, `StoreError` as a rule.
    func rowCount(root: EntityIndex) throws -> Int

    /// The indexes over a tree.
    func indexes(root: EntityIndex) -> [IndexDescription]

    /// Finds a part of an index; `nil` where the keys are none that the index can look up.
    ///
    /// - Throws: What reading throws.
    func find(_ match: IndexMatch, root: EntityIndex) throws -> (any IndexPart)?

    /// Visits rows by reference until `body` returns false: those with some references, which are upward, or all of a tree. The
    /// predicate is what `body` will test the rows with.
    ///
    /// - Throws: What reading or `body` throws.
    func visit(root: EntityIndex, _ references: [Int64]?, for predicate: ResolvedPredicate?, _ body: (Row) throws -> Bool) throws

    /// The references that an object on one side of a link table is linked with.
    ///
    /// - Throws: What reading throws.
    func linked(_ table: Int, _ side: LinkSide, _ reference: Int64) throws -> [Int64]
}

/// A part of an index, found.
public protocol IndexPart: AnyObject {
    /// Whether every entry of the part is what was looked for.
    var isExact: Bool { get }

    /// The number of entries, of which no more than one over `limit` need be counted.
    ///
    /// - Throws: What reading throws.
    func count(upTo limit: Int) throws -> Int

    /// The references of the entries, upward, each once.
    ///
    /// - Throws: What reading throws.
    func references() throws -> [Int64]
}

/// Where a plan finds the rows to look at.
public enum RowAccess {
    /// Nowhere: the conditions contradict each other.
    case nothing
    /// In the whole tree.
    case scan
    /// At some references, upward, each once.
    case references([Int64])
    /// In part of an index.
    case index(IndexMatch, any IndexPart)
}
