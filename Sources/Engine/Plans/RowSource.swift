/// The requirements of a ``PlanRunner`` on a snapshot beside its indexes: the stored rows.
///
/// A store with `Row` values needs few methods. One whose rows are in memory of the snapshot has them copied, and only
/// those in the answer.
public protocol RowSource: IndexedRows {
    /// A row as it is stored.
    associatedtype Stored = Row

    /// Whether rows stay readable after the snapshot, so that they are returned without copying.
    static var rowsOutliveSnapshot: Bool { get }

    /// Whether rows of one key are visited by reference also in a backward traversal; forward they always are.
    static var traversesBackwardByReference: Bool { get }

    /// Returns the number of objects of some entities of a hierarchy; `nil` where the rows have to be read for it.
    ///
    /// - Throws: What reading throws, `StoreError` as a rule.
    func count(_ entities: Range<EntityIndex>, root: EntityIndex) throws -> Int?

    /// Visits all rows of a hierarchy, by ascending reference, until `body` returns false.
    ///
    /// - Throws: `StoreError` where a row cannot be read; what `body` throws.
    func scan(root: EntityIndex, _ body: (Stored) throws -> Bool) throws

    /// Visits the rows of a hierarchy from a reference on, by ascending reference, until `body` returns false.
    ///
    /// By default it passes over the rows before.
    ///
    /// - Throws: `StoreError` where a row cannot be read; what `body` throws.
    func scan(root: EntityIndex, from first: Int64, _ body: (Stored) throws -> Bool) throws

    /// Visits the rows with ascending references until `body` returns false; references without a row are skipped.
    ///
    /// - Throws: `StoreError` where a row cannot be read; what `body` throws.
    func visit(root: EntityIndex, _ references: [Int64], _ body: (Stored) throws -> Bool) throws

    /// Visits the rows of a part of an index, key by key, until `body` returns false.
    ///
    /// - Parameters:
    ///   - part: One that ``IndexedRows/find(_:root:)`` found.
    ///   - root: The index of the hierarchy's root entity.
    ///   - isBackward: Whether to begin with the last key.
    ///   - body: Gets each row, and returns whether to continue.
    /// - Returns: False where the entries turn out to be unordered, as truncated long keys are: then the visits are
    ///   void.
    /// - Throws: `StoreError` where a row cannot be read; what `body` throws.
    func traverse(_ part: any IndexPart, root: EntityIndex, isBackward: Bool, _ body: (Stored) throws -> Bool) throws -> Bool

    /// Returns the row, in place, without outlying values.
    func row(_ stored: Stored) -> Row

    /// Returns the row with all its values, including ``IndexedRows/outlyingSlots(root:)``.
    ///
    /// - Throws: What reading the files of values throws; a lost file is no error, but a value that is marked as lost.
    func complete(_ stored: Stored) throws -> Stored

    /// Returns a copy of the row with all its values.
    ///
    /// - Throws: `StoreError` with `corrupt` for a malformed row.
    func copy(_ stored: Stored, _ writer: inout RowWriter) throws -> Row
}

extension RowSource {
    @inlinable public static var traversesBackwardByReference: Bool { false }

    public func scan(root: EntityIndex, from first: Int64, _ body: (Stored) throws -> Bool) throws {
        try scan(root: root) { try row($0).reference < first || body($0) }
    }

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
    /// Returns the row itself.
    @inlinable public func row(_ stored: Row) -> Row { stored }
}

extension FetchPlan {
    /// Calls `body` with every path that the plan reads.
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
