public import StrataFiles
public import StrataModel
public import StrataStore

/// Everything in an atomic store, as its codec reads and writes it.
public struct TableContents: Sendable {
    /// What the store says of itself.
    public var metadata: StoreMetadata
    /// The rows of every tree, by the index of its root entity, in ascending order of reference.
    public var rows: [EntityIndex: [Row]] = [:]
    /// The links of every table, by index.
    public var links: [Int: [Link]] = [:]
    /// The greatest reference ever given out in a tree, by the index of its root entity.
    public var lastReference: [EntityIndex: Int64] = [:]

    /// Creates a store without rows, to be filled by a codec.
    public init(metadata: StoreMetadata) { self.metadata = metadata }
}

/// What makes a file format an atomic store: reading a whole file, and writing one.
///
/// The table engine does everything else: queries, transactions, conflicts, constraints, locks, durable replacement.
public protocol AtomicCodec: Sendable {
    /// The kind of store.
    var type: StoreType { get }
    /// What files of the format begin with, which drivers of other kinds then call by name; `nil`, unless the codec says otherwise, where
    /// that tells nothing.
    var fileKind: FileKind? { get }
    /// Which rows the reference of a new row is unique among.
    ///
    /// Whatever it is, rows of several trees may have one reference: a store that is made of another one keeps the references.
    var referenceScope: StoreCapabilities.ReferenceScope { get }
    /// The reference that counts as the last one given out in a new store; 0 unless the codec says otherwise.
    var lastReferenceOfNewStore: Int64 { get }

    /// Reads a whole file.
    ///
    /// - Parameters:
    ///   - path: A file that may be anything, also of another program.
    ///   - model: The model that rows and links are made for.
    ///   - external: Where values lie that are kept in files of their own.
    /// - Throws: `StoreError` with `foreign`, `corrupt`, `unsupportedVersion`, `incompatibleModel`.
    func load(_ path: String, model: ManagedObjectModel, external: ExternalValues) throws -> TableContents

    /// Reads the metadata of a file, and as little else as the format allows.
    func metadata(_ path: String) throws -> StoreMetadata

    /// Returns the names of the files that hold values of a store; none in a format that keeps all values in its own
    /// file.
    func externalNames(_ path: String) throws -> [String]

    /// Writes a whole file. The sink is flushed, synchronized and put in place by the caller.
    ///
    /// - Throws: `FileError` of the sink; `StoreError` with `tooLarge` for a value that the format cannot hold.
    func write(_ contents: TableContents, model: ManagedObjectModel, external: ExternalValues, to sink: inout FileSink) throws

    /// Writes a file that differs from the one at a path in its metadata only: what else it holds is copied without a
    /// model.
    func rewrite(_ path: String, metadata: StoreMetadata, to sink: inout FileSink) throws
}

extension AtomicCodec {
    public var fileKind: FileKind? { nil }
    public var lastReferenceOfNewStore: Int64 { 0 }
    public func externalNames(_ path: String) throws -> [String] { [] }
}
