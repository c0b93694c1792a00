public import StrataEvaluation
public import StrataModel
import StrataQuery
public import StrataStore

/// What a ``PlanRunner`` needs of a snapshot beside its indexes: the rows, one after the other and where they lie.
///
/// A store whose rows are `Row` values of their own hands them out as they are and has little to say. One whose rows lie in memory that
/// goes with the snapshot has them copied, and only those that are asked for.
public protocol RowSource: IndexedRows {
    /// A row as it lies in the store.
    associatedtype Stored = Row

    /// Whether rows stay readable after the snapshot, so that they are handed out without being copied.
    static var rowsOutliveSnapshot: Bool { get }

    /// Whether rows of one key come by reference also where an index is traversed downward; upward they always do.
    static var walksBackwardByReference: Bool { get }

    /// Returns the number of objects of some entities of a tree; `nil` where only a look at the rows tells.
    ///
    /// - Throws: What reading throws, `StoreError` as a rule.
    func count(_ entities: Range<EntityIndex>, root: EntityIndex) throws -> Int?

    /// Visits all rows of a tree, upward by reference, until `body` returns false.
    func scan(root: EntityIndex, _ body: (Stored) throws -> Bool) throws

    /// Visits the rows with some references, which are upward, until `body` returns false; references of no row are
    /// passed over.
    func visit(root: EntityIndex, _ references: [Int64], _ body: (Stored) throws -> Bool) throws

    /// Visits the rows of a part of an index, key by key, until `body` returns false.
    ///
    /// - Parameters:
    ///   - part: One that ``IndexedRows/find(_:root:)`` found.
    ///   - root: The index of the tree's root entity.
    ///   - isBackward: Whether to begin with the last key.
    ///   - body: Gets each row, and answers whether to go on.
    /// - Returns: False where the entries turn out to be in no order, as where long keys had to be cut: what was
    ///   visited is void then.
    func walk(_ part: any IndexPart, root: EntityIndex, isBackward: Bool, _ body: (Stored) throws -> Bool) throws -> Bool

    /// Returns the row, in place: without the values that lie elsewhere.
    func row(_ stored: Stored) -> Row

    /// Returns the row with all its values, those of its ``IndexedRows/outlyingSlots(root:)`` too.
    ///
    /// - Throws: What reading the files of values throws; a lost file is no error, but a value that is marked as lost.
    func complete(_ stored: Stored) throws -> Stored

    /// Returns a copy of the row with all its values, to be handed out.
    func copy(_ stored: Stored, _ writer: inout RowWriter) throws -> Row
}

extension RowSource {
    @inlinable public static var walksBackwardByReference: Bool { false }
    @inlinable public func complete(_ stored: Stored) throws -> Stored { stored }
    @inlinable public func copy(_ stored: Stored, _ writer: inout RowWriter) throws -> Row { writer.copy(row(stored)) }

    @inlinable
    public func visit(root: EntityIndex, _ references: [Int64]?, isComplete: Bool, _ body: (Row) throws -> Bool) throws {
        func visit(_ stored: Stored) throws -> Bool { try body(row(isComplete ? complete(stored) : stored)) }
        if let references { try self.visit(root: root, references, visit) } else { try scan(root: root, visit) }
    }
}

extension RowSource where Stored == Row {
    @inlinable public static var rowsOutliveSnapshot: Bool { true }
    /// Returns the row itself, which lies in the store as it is.
    @inlinable public func row(_ stored: Row) -> Row { stored }
}

extension FetchPlan {
    /// Calls `body` with every path over which the plan tests, sorts, groups or computes.
    public func forEachPath(_ body: (PropertyPath) -> Void) {
        predicate?.forEachPath(body)
        for sort in sort { body(sort.path) }
        switch result {
        case .rows, .references, .count: break
        case .groups(let grouping):
            for key in grouping.keys { key.forEachPath(body) }
            for aggregate in grouping.aggregates { aggregate.expression?.forEachPath(body) }
        case .values(let values): for column in values.columns { column.forEachPath(body) }
        }
    }
}
