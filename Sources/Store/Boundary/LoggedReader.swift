/// A snapshot of a store with a log of its commits, by which only changes since another snapshot have to be read.
public protocol LoggedReader: StoreReader {
    /// Returns the snapshot's position in the log; `nil` where it is unknown.
    ///
    /// - Throws: `StoreError` where the log cannot be read.
    func logPosition() throws -> LogPosition?

    /// Returns the commits since an earlier snapshot, through whichever store; `nil` where the log does not reach back
    /// that far.
    ///
    /// - Throws: `StoreError` where the log cannot be read.
    func changes(since position: LogPosition) throws -> LoggedChanges?
}

/// The position of a snapshot in a store's log, in the store's own form.
public struct LogPosition: Sendable, Hashable {
    /// The form of the position, which only its store interprets.
    public let rawValue: String

    /// Creates a position that the store can interpret.
    public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// The commits between two snapshots.
public struct LoggedChanges: Sendable {
    /// The rows of a hierarchy that were inserted, updated or deleted.
    public enum Rows: Sendable, Hashable {
        /// The rows with these references.
        case some(Set<Int64>)
        /// Any rows: the log does not list them.
        case any
    }

    /// The rows, by the root of their hierarchy.
    public private(set) var rows: [EntityIndex: Rows] = [:]
    /// The indexes of the changed link tables.
    public private(set) var linkTables: Set<Int> = []

    /// Creates an empty set of changes.
    public init() {}

    /// Adds rows of a hierarchy; `nil` for any of them.
    public mutating func add(_ references: [Int64]?, root: EntityIndex) {
        switch (rows[root], references) {
        case (.any?, _), (_, nil): rows[root] = .any
        case (.some(let known)?, let references?): rows[root] = .some(known.union(references))
        case (nil, let references?): rows[root] = .some(Set(references))
        }
    }

    /// Adds links of a table.
    public mutating func add(linkTable index: Int) { linkTables.insert(index) }
}
