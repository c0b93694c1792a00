public import StrataModel

/// A store that others may write, too, and that can tell whether they did.
///
/// Others are all who write past this very object: other processes, other programs, other coordinators of this process. A coordinator needs
/// it to tell what they changed, see ``StoreOptions/postsRemoteChanges``.
public protocol SharedStore: PersistentStore {
    /// Returns a number that is another one than before wherever others committed something since; mostly only then.
    ///
    /// It is called often, and should take no more than some microseconds. What is committed through this store does not change it.
    /// Once it has returned, a snapshot that is taken after the next ``PersistentStore/refresh()`` shows all commits that it counts.
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

/// Which version a row has.
public struct RowVersion: Sendable, Hashable {
    /// The index, in the model, of the row's own entity.
    public let entity: EntityIndex
    /// The reference within the entity's tree.
    public let reference: Int64
    /// How often the row was saved.
    public let version: UInt32

    /// Creates the version of a row.
    public init(entity: EntityIndex, reference: Int64, version: UInt32) {
        self.entity = entity
        self.reference = reference
        self.version = version
    }
}
