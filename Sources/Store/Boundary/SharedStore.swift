public import StrataModel

/// A store that others may write, too, and that can tell whether they did.
///
/// Others are all who write past this very object: other processes, other programs, other coordinators of this process. A coordinator needs
/// it to tell what they changed, see ``StoreOptions/postsRemoteChanges``.
public protocol SharedStore: PersistentStore {
    /// A number that is another one than before wherever others committed something since; mostly only then.
    ///
    /// It is asked for often, and should take no more than some microseconds. What is committed through this store does not change it.
    /// A snapshot that is taken after it was answered shows all commits that it counts.
    ///
    /// - Returns: `nil` while it cannot be told, as while a transaction of this store is under way.
    /// - Throws: ``StoreError`` with `closed`, `io`, or `missing` and `replaced` where the store is no longer what was opened.
    func revisionOfOthers() throws -> Int64?

    /// The paths of the files that a commit writes to: when one of them changes, the revision is worth a look.
    ///
    /// By default the store's own file. They are a hint; the revision is looked at now and then all the same.
    var writtenPaths: [String] { get }

    /// A descriptor that can be read from when others may have committed: then the revision is worth a look, which reads from it.
    ///
    /// By default, and where there is none now, `nil`. It is a hint as the files are.
    var signal: Int32? { get }
}

extension SharedStore {
    public var writtenPaths: [String] { path.map { [$0] } ?? [] }
    public var signal: Int32? { nil }
}

/// A snapshot of a store that keeps a log of what was committed to it: who knows another snapshot need not read everything again.
public protocol LoggedReader: StoreReader {
    /// Where in the log the snapshot is; `nil` where that cannot be told.
    func logPosition() throws -> LogPosition?

    /// What was committed since an earlier snapshot and shows in this one, through whichever store.
    ///
    /// - Returns: `nil` where the log does not reach that far back.
    func changes(since position: LogPosition) throws -> LoggedChanges?
}

/// Where in a store's log a snapshot is, in words of the store's own.
public struct LogPosition: Sendable, Hashable {
    /// What the store calls it.
    public let rawValue: String

    /// A position of which the store knows the meaning.
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

/// Which version a row has.
public struct RowVersion: Sendable, Hashable {
    /// The index, in the model, of the row's own entity.
    public let entity: EntityIndex
    /// The reference within the entity's tree.
    public let reference: Int64
    /// How often the row was saved.
    public let version: UInt32

    /// The version of a row.
    public init(entity: EntityIndex, reference: Int64, version: UInt32) {
        self.entity = entity
        self.reference = reference
        self.version = version
    }
}
