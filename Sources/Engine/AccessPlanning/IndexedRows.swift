public import StrataEvaluation
public import StrataModel
import StrataQuery
import StrataStore

/// What a planner needs of an engine: its indexes, what lies in parts of them, and rows.
public protocol IndexedRows: AnyObject, RowResolver {
    /// Whether walking a whole index from entry to row costs less than sorting the rows.
    var sortsByIndex: Bool { get }

    /// Returns the number of rows of a tree.
    ///
    /// - Throws: What reading throws, `StoreError` as a rule.
    func rowCount(root: EntityIndex) throws -> Int

    /// Returns the indexes over a tree.
    func indexes(root: EntityIndex) -> [IndexDescription]

    /// Finds a part of an index; `nil` where the index cannot look up the keys.
    func find(_ match: IndexMatch, root: EntityIndex) throws -> (any IndexPart)?

    /// Returns the slots of a tree's rows whose values may lie elsewhere than in the row, in files beside the store: by
    /// default none.
    ///
    /// A plan asks once for each tree that it looks at.
    func outlyingSlots(root: EntityIndex) -> Set<Slot>

    /// Visits rows by reference until `body` returns false.
    ///
    /// - Parameters:
    ///   - root: The index of the tree's root entity.
    ///   - references: Whose rows to visit, upward; `nil` for all rows of the tree.
    ///   - isComplete: Whether `body` needs what lies in outlying slots; without, these need not hold their values.
    ///   - body: Gets each row, and answers whether to go on.
    func visit(root: EntityIndex, _ references: [Int64]?, isComplete: Bool, _ body: (Row) throws -> Bool) throws

    /// Returns the references that an object on one side of a link table is linked with.
    func linked(_ table: Int, _ side: LinkSide, _ reference: Int64) throws -> [Int64]
}

extension IndexedRows {
    @inlinable public func outlyingSlots(root: EntityIndex) -> Set<Slot> { [] }
}

extension Set<Slot> {
    /// Returns whether a slot of the set is where one of some paths leads that begin at a row, such as those of a
    /// predicate.
    @usableFromInline
    func areMet(by forEachPath: ((PropertyPath) -> Void) -> Void) -> Bool {
        if isEmpty { return false }
        var areMet = false
        forEachPath { path in
            if path.variable == 0, path.steps.isEmpty, path.leafSlot.map({ contains($0) }) ?? false { areMet = true }
        }
        return areMet
    }
}

/// A part of an index, found.
public protocol IndexPart: AnyObject {
    /// Whether every entry of the part is what was looked for.
    var isExact: Bool { get }

    /// Returns the number of entries, of which no more than one over `limit` need be counted.
    func count(upTo limit: Int) throws -> Int

    /// Returns the references of the entries, upward, each once.
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
