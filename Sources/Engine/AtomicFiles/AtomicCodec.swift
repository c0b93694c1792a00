/// The content of an atomic store, as its codec reads and writes it.
public struct TableContents: Sendable {
    /// The metadata of the store.
    public var metadata: StoreMetadata
    /// The rows of every hierarchy, by the index of its root entity, in ascending order of reference.
    public var rows: [EntityIndex: [Row]] = [:]
    /// The rows of hierarchies that are read when they are first needed, by the index of the root entity; those in ``rows`` replace them.
    public var blocks: [EntityIndex: any RowBlockSource] = [:]
    /// The number of objects of each entity in ``blocks``, without those of its subentities.
    public var counts: [EntityIndex: Int] = [:]
    /// The links of every table, by index.
    public var links: [Int: [Link]] = [:]
    /// What reads the links of a table when they are first needed, by index, instead of ``links``.
    public var laterLinks: [Int: @Sendable () throws -> [Link]] = [:]
    /// The greatest reserved reference of a hierarchy, by the index of its root entity.
    public var lastReference: [EntityIndex: Int64] = [:]
    /// The saves that were appended to the file, in order.
    ///
    /// They change the rows and links, and the history in the metadata. The other metadata are those after the last one.
    public var saves: [TableSave] = []
    /// Where the next save can be appended to the file; `nil`, the default, where each save replaces it.
    public var end: AppendPosition?
    /// The malformed content that the codec corrects, see ``/StrataStore/PersistentStore/openingProblems``.
    public var problems: [StoreProblem] = []

    /// Creates a store without rows, to be filled by a codec.
    public init(metadata: StoreMetadata) { self.metadata = metadata }

    /// Gives all rows versions that follow from their values.
    mutating func deriveVersions() {
        var writer = RowWriter()
        for root in rows.keys {
            rows[root] = rows[root]?.map { writer.copy($0, version: $0.versionOfValues, storeWord: $0.storeWord) }
        }
    }
}

extension Row {
    /// A version that equal values have, and different ones hardly: FNV-1a over the words of the values, from 1.
    fileprivate var versionOfValues: UInt32 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        withExtendedLifetime(self) {
            let bytes = unsafe bytes
            for offset in stride(from: RowLayout.headerSize, to: bytes.count & ~7, by: 8) {
                hash = unsafe (hash ^ bytes.load(fromByteOffset: offset, as: UInt64.self)) &* 0x0000_0100_0000_01B3
                hash ^= hash >> 29
            }
        }
        return UInt32(truncatingIfNeeded: hash >> 33) | 1
    }
}

/// The file format of an atomic store: reading and writing whole files, and optionally appending saves.
///
/// The table engine does everything else: queries, transactions, conflicts, constraints, locks, durable replacement.
public protocol AtomicCodec: Sendable {
    var type: StoreType { get }
    /// The first bytes of the format's files, by which drivers of other kinds name it; `nil`, the default, where they
    /// are not unique.
    var fileKind: FileKind? { get }
    /// The scope in which references of new rows are unique.
    ///
    /// In any scope, rows of several hierarchies may have one reference: a migrated store keeps its references.
    var referenceScope: StoreCapabilities.ReferenceScope { get }
    /// The last reserved reference of a new store; 0 by default.
    var lastReferenceOfNewStore: Int64 { get }

    /// Whether the files hold the versions of rows and the order keys of members; true by default.
    ///
    /// Where they do not, rows are read with version 1. An opened store gives them versions that follow from their
    /// values, so that a context that has rows of an earlier opening conflicts with what others saved meanwhile.
    var keepsVersions: Bool { get }

    /// Whether a file has the hashes of all entities of the model, whatever its configuration, and `StoreMetadata.holdsWholeModel` is
    /// set in what is read; false by default.
    var holdsWholeModel: Bool { get }

    /// Reads a whole file.
    ///
    /// - Parameters:
    ///   - path: Any file, possibly of another program.
    ///   - model: The model of rows and links.
    ///   - external: The values in files of their own.
    /// - Throws: `StoreError` with `foreign`, `corrupt`, `unsupportedVersion`, `incompatibleModel`.
    func load(_ path: String, model: ManagedObjectModel, external: ExternalValues) throws -> TableContents

    /// Reads a file as far as a store needs it to be opened, by default as ``load(_:model:external:)`` does.
    ///
    /// What is left for later is checked when it is read.
    ///
    /// - Throws: `StoreError` as ``load(_:model:external:)`` does.
    func open(_ path: String, model: ManagedObjectModel, external: ExternalValues) throws -> TableContents

    /// Reads the metadata of a file, and as little else as the format allows.
    ///
    /// - Throws: `StoreError` for a file that is missing, unreadable or malformed.
    func metadata(_ path: String) throws -> StoreMetadata

    /// Returns the names of a store's external value files; none in a format that keeps all values in its own file.
    ///
    /// - Throws: `StoreError` for a file that is missing, unreadable or malformed.
    func externalNames(_ path: String) throws -> [String]

    /// Writes a whole file, which the caller flushes, synchronizes and moves to the store's path.
    ///
    /// - Throws: `FileError` of the sink; `StoreError` with `tooLarge` for a value that the format cannot hold.
    func write(_ contents: TableContents, model: ManagedObjectModel, external: ExternalValues, to sink: inout FileSink) throws

    /// Returns where saves can be appended to a file; `nil`, the default, in a format of whole files.
    ///
    /// - Throws: `StoreError` for a file that is missing, unreadable or malformed.
    func end(ofFile path: String) throws -> AppendPosition?

    /// Packs a save, to be appended to the store's file; `nil`, the default, where it must be written as a whole.
    ///
    /// - Throws: `StoreError` of the values in files of their own; with `tooLarge` for a value that the format cannot hold.
    func segment(
        _ save: TableSave, at end: AppendPosition, model: ManagedObjectModel, external: ExternalValues
    ) throws -> AppendedSegment?

    /// Writes a copy of a file with other metadata, without a model.
    ///
    /// - Throws: `StoreError` for a file that is missing or malformed; `FileError` where writing fails.
    func rewrite(_ path: String, metadata: StoreMetadata, to sink: inout FileSink) throws
}

extension AtomicCodec {
    public var fileKind: FileKind? { nil }
    public var lastReferenceOfNewStore: Int64 { 0 }
    public var keepsVersions: Bool { true }
    public var holdsWholeModel: Bool { false }
    public func externalNames(_ path: String) throws -> [String] { [] }
    public func open(_ path: String, model: ManagedObjectModel, external: ExternalValues) throws -> TableContents {
        try load(path, model: model, external: external)
    }
    public func end(ofFile path: String) throws -> AppendPosition? { nil }
    public func segment(
        _ save: TableSave, at end: AppendPosition, model: ManagedObjectModel, external: ExternalValues
    ) throws -> AppendedSegment? { nil }
}
