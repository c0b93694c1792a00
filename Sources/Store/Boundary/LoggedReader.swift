public import StrataModel

/// A snapshot of a store that keeps a log of what was committed to it: who knows another snapshot need not read everything again.
public protocol LoggedReader: StoreReader {
    /// Where in the log the snapshot is; `nil` where that cannot be told.
    func logPosition() throws -> LogPosition?

    /// What was committed since an earlier snapshot and shows in this one, through whichever store; `nil` where the log
    /// does not reach that far back.
    func changes(since position: LogPosition) throws -> LoggedChanges?
}

/// Where in a store's log a snapshot is, in words of the store's own.
public struct LogPosition: Sendable, Hashable {
    /// What the store calls it.
    public let rawValue: String

    /// Creates a position of which the store knows the meaning.
    public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// What was committed between two snapshots: nothing else differs in them.
public struct LoggedChanges: Sendable {
    /// Which rows of a tree were inserted, updated or deleted.
    public enum Rows: Sendable, Hashable {
        case some(Set<Int64>)
        case any
    }

    /// The rows, by the root of their tree.
    public private(set) var rows: [EntityIndex: Rows] = [:]
    /// The indexes of the link tables in which something changed.
    public private(set) var linkTables: Set<Int> = []

    /// No changes.
    public init() {}

    /// Adds rows of a tree; `nil` for any of them.
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
