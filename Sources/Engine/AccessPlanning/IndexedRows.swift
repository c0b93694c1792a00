/// The requirements of a planner on an engine: its indexes, parts of them, and rows.
public protocol IndexedRows: AnyObject, RowResolver {
    /// Whether traversing a whole index from entry to row costs less than sorting the rows.
    var sortsByIndex: Bool { get }

    /// Returns the number of rows of an entity hierarchy.
    ///
    /// - Throws: What reading throws, `StoreError` as a rule.
    func rowCount(root: EntityIndex) throws -> Int

    /// Returns the indexes of an entity hierarchy.
    func indexes(root: EntityIndex) -> [IndexDescription]

    /// Finds a part of an index; `nil` where the index cannot look up the keys.
    ///
    /// - Throws: `StoreError` where the index cannot be read.
    func find(_ match: IndexMatch, root: EntityIndex) throws -> (any IndexPart)?

    /// Returns the slots of a hierarchy's rows whose values may be in files beside the store: by default none.
    ///
    /// A plan asks once for each hierarchy that it reads.
    func outlyingSlots(root: EntityIndex) -> Set<Slot>

    /// Visits rows by reference until `body` returns false.
    ///
    /// - Parameters:
    ///   - root: The index of the hierarchy's root entity.
    ///   - references: Whose rows to visit, ascending; `nil` for all rows of the hierarchy.
    ///   - isComplete: Whether `body` needs the values of outlying slots; otherwise these need not hold them.
    ///   - body: Gets each row, and returns whether to continue.
    /// - Throws: `StoreError` where a row cannot be read; what `body` throws.
    func visit(root: EntityIndex, _ references: [Int64]?, isComplete: Bool, _ body: (Row) throws -> Bool) throws

    func linked(_ table: Int, _ side: LinkSide, _ reference: Int64) throws -> [Int64]
}

extension IndexedRows {
    @inlinable public func outlyingSlots(root: EntityIndex) -> Set<Slot> { [] }
}

extension Set<Slot> {
    /// Returns whether one of some paths that begin at a row, such as those of a predicate, ends at a slot of the set.
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

/// A found part of an index.
public protocol IndexPart: AnyObject {
    /// Whether the part has only matching entries.
    var isExact: Bool { get }

    /// Returns the number of entries, counted up to one more than `limit`.
    ///
    /// - Throws: `StoreError` where the index cannot be read.
    func count(upTo limit: Int) throws -> Int

    /// Returns the distinct references of the entries, ascending.
    ///
    /// - Throws: `StoreError` where the index cannot be read.
    func references() throws -> [Int64]
}

/// The access path to the rows of a plan.
public enum RowAccess {
    /// Nowhere: the conditions contradict each other.
    case nothing
    /// In the whole entity hierarchy, or from a reference on.
    case scan(from: Int64?)
    /// At some references, ascending and distinct.
    case references([Int64])
    /// In part of an index.
    case index(IndexMatch, any IndexPart)
}
