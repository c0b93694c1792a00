/// A store with other writers whose commits it can detect.
///
/// Others are all who write past this object: other processes, other programs, other coordinators of this process.
/// Remote-change tracking requires it, see ``StoreOptions/postsRemoteChanges``.
public protocol SharedStore: StoreBackend {
    /// Returns a number that changes with commits of others, and mostly only then.
    ///
    /// It is called often, and should take no more than some microseconds. Commits through this store do not change it.
    /// A snapshot that is taken after the next ``StoreBackend/refresh()`` includes all commits that it counts.
    ///
    /// - Returns: `nil` while it is unknown, as during a transaction of this store.
    /// - Throws: ``StoreError`` with `closed`, `io`, or `missing` and `replaced` where the store is no longer the
    ///   opened one.
    func revisionOfOthers() throws -> Int64?

    /// The paths of the files that a commit writes, as a hint when to read the revision.
    ///
    /// By default the store's own file. The revision is read from time to time all the same.
    var writtenPaths: [String] { get }

    /// A descriptor that is readable when others may have committed, as a hint; reading the revision reads from it.
    ///
    /// By default, and where there is none now, `nil`.
    var signal: Int32? { get }
}

extension SharedStore {
    public var writtenPaths: [String] { path.map { [$0] } ?? [] }
    public var signal: Int32? { nil }
}

/// The version of a row.
public struct RowVersion: Sendable, Hashable {
    /// The index, in the model, of the row's own entity.
    public let entity: EntityIndex
    /// The reference within the entity hierarchy.
    public let reference: Int64
    /// The number of saves of the row.
    public let version: UInt32

    /// Creates the version of a row.
    public init(entity: EntityIndex, reference: Int64, version: UInt32) {
        self.entity = entity
        self.reference = reference
        self.version = version
    }
}
