import StrataFiles
public import StrataStore

/// A backup of the stores of a coordinator, as its manifest describes it: a directory with a copy of each store, all of
/// one moment.
///
/// ```swift
/// let backup = try StoreBackup(at: "/backup/shop")
/// for store in backup.stores { print(store.originalPath, store.byteCount) }
/// ```
public struct StoreBackup: Sendable, Hashable {
    /// The copy of a store, which can be opened as a store of its own.
    public struct Store: Sendable, Hashable {
        /// The ID of the store, which the copy has, too.
        public let id: StoreID
        /// The kind of store.
        public let type: StoreType
        /// The configuration of the model that the store holds; `nil` for all entities.
        public let configuration: String?
        /// The path of the store when it was copied.
        public let originalPath: String
        /// The path of the copy.
        public let path: String
        /// The length of the copy's file, without the files of large values.
        public var byteCount: Int { checksums.byteCount }
        /// Whether this is the copy of the backup before in the directory, as nothing was written to the store since.
        public let isUnchanged: Bool
        let checksums: BackupManifest.Checksums
    }

    /// The path of the directory.
    public let path: String
    /// The ID of the backup.
    public let id: String
    /// When the backup was finished.
    public let time: Date
    /// The copies, in the order in which the coordinator had the stores.
    public let stores: [Store]

    /// Returns whether a directory has a backup, whole or with a damaged manifest.
    ///
    /// - Throws: `StoreError` with `denied`, `io` where that is unknown.
    public static func isBackup(at path: String) throws -> Bool {
        try StoreError.naming(.restore, path: path) {
            try RecoveryFiles.fileSystem.statusIfPresent(of: PathName.joining(path, BackupManifest.name)) != nil
        }
    }

    /// Reads the manifest of the last finished backup in a directory.
    ///
    /// - Throws: `StoreError` with `missing` where there is none, as where the first backup was interrupted; `corrupt`
    ///   where the manifest is damaged, `unsupportedVersion` for one of a later version of Strata; `denied`, `io`.
    public init(at path: String) throws {
        self = try StoreError.naming(.restore, path: path) {
            try BackupManifest.read(PathName.joining(path, BackupManifest.name)).backup(at: path)
        }
    }

    init(path: String, id: String, time: Date, stores: [Store]) {
        self.path = path
        self.id = id
        self.time = time
        self.stores = stores
    }

    /// Checks that the copies' files are those that were written with the manifest: a file that was changed, or is of
    /// another backup, does not belong to the others.
    ///
    /// The files of large values are compared, too.
    ///
    /// - Throws: `StoreError` with `missing` or `corrupt`, and the path of the file; `denied`, `io`.
    /// - Complexity: O(n) in the files.
    public func check() throws {
        for store in stores {
            try StoreError.naming(.restore, path: store.path) {
                let found = try BackupManifest.checksums(ofCopy: store.path)
                guard found.byteCount == store.byteCount, found.file == store.checksums.file else {
                    throw StoreError(.corrupt, .restore, "the file is not the one that the backup was made with", path: store.path)
                }
                guard found == store.checksums else {
                    throw StoreError(
                        .corrupt, .restore, "the files of large values are not those that the backup was made with", path: store.path)
                }
            }
        }
    }
}

/// The manifest of a backup: a JSON file that is replaced atomically once everything that it names is durable.
struct BackupManifest: Codable {
    struct Store: Codable {
        var id: String
        var type: String
        var configuration: String?
        var originalPath: String
        /// The path of the copy in the directory of the backup: the backup's folder, a number, and the store's name.
        var file: String
        var checksums: Checksums
        /// See `WrittenState`.
        var state: String?
        var isUnchanged: Bool
    }

    /// The length of a copy's file, the number of its large values in files of their own, and CRC-32Cs.
    struct Checksums: Codable, Hashable {
        var byteCount: Int
        var file: UInt32
        var valueCount: Int
        var values: UInt32
    }

    static let name = "backup.json"
    private static let currentFormat = 1

    var format = currentFormat
    var id: String
    /// Seconds since 1970.
    var time: Double
    var stores: [Store]

    /// The name of the folder with the copies of a backup.
    static func folder(_ id: String) -> String { "backup-" + id }

    /// Returns whether a folder has that of a backup's name.
    static func isFolder(_ name: String) -> Bool { name.hasPrefix("backup-") && ExternalDataDirectory.isName(String(name.dropFirst(7))) }

    private struct Head: Codable {
        var format: Int
    }

    static func read(_ path: String) throws -> BackupManifest {
        let bytes: [UInt8]
        do { bytes = try RecoveryFiles.fileSystem.contents(of: path, limit: 64 << 20) } catch {
            guard error.isMissing else { throw error }
            throw StoreError(.missing, .restore, "there is no finished backup", path: PathName.parent(of: path), underlying: error)
        }
        let decoder = JSONDecoder()
        do {
            let format = try decoder.decode(Head.self, from: Data(bytes)).format
            guard format <= currentFormat else {
                throw StoreError(.unsupportedVersion, .restore, "the backup is of the later format \(format)", path: path)
            }
            return try decoder.decode(BackupManifest.self, from: Data(bytes)).checked()
        } catch let error where !(error is StoreError) {
            throw StoreError(.corrupt, .restore, "the manifest of the backup is damaged", path: path, underlying: error)
        }
    }

    /// - Throws: `MalformedBytes` where a path leads out of the backup.
    private func checked() throws -> BackupManifest {
        guard format > 0, ExternalDataDirectory.isName(id), !stores.isEmpty else { throw MalformedBytes() }
        for store in stores {
            let parts = store.file.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { String($0) ?? "" }
            guard parts.count == 3, parts[0] == BackupManifest.folder(id), Int(parts[1]) != nil, !["", ".", ".."].contains(parts[2]),
                store.checksums.byteCount >= 0
            else { throw MalformedBytes() }
        }
        guard Set(stores.map(\.id)).count == stores.count else { throw MalformedBytes() }
        return self
    }

    func write(_ path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let bytes = Array(try encoder.encode(self)) + [UInt8(ascii: "\n")]
        try AtomicReplacement.prepare(path: path, fileSystem: RecoveryFiles.fileSystem, newFilePermissions: 0o600) { sink in
            try sink.write(bytes)
        }.commit()
    }

    func backup(at path: String) -> StoreBackup {
        StoreBackup(
            path: path, id: id, time: Date(timeIntervalSince1970: time),
            stores: stores.map { store in
                StoreBackup.Store(
                    id: StoreID(store.id), type: StoreType(rawValue: store.type), configuration: store.configuration,
                    originalPath: store.originalPath, path: PathName.joining(path, store.file), isUnchanged: store.isUnchanged,
                    checksums: store.checksums)
            })
    }

    /// Returns the checksums of a copy that is not open: of its file, and of the names and contents of its large values.
    static func checksums(ofCopy path: String) throws -> Checksums {
        var (file, values) = (CRC32C(), CRC32C())
        let byteCount = try add(path, to: &file)
        let directory = ExternalDataDirectory(storePath: path, fileSystem: RecoveryFiles.fileSystem)
        let names = try directory.names()
        for name in names {
            unsafe Array(name.utf8).withUnsafeBytes { unsafe values.update(with: $0) }
            _ = try add(PathName.joining(directory.path, name), to: &values)
        }
        return Checksums(byteCount: byteCount, file: file.value, valueCount: names.count, values: values.value)
    }

    /// Adds the content of a file to a checksum; returns its length.
    private static func add(_ path: String, to crc: inout CRC32C) throws -> Int {
        let file = try RecoveryFiles.fileSystem.open(path, .read)
        defer { try? file.close() }
        try file.status().requireRegularFile(.restore, path: path)
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        var offset = 0
        while true {
            let count = try unsafe buffer.withUnsafeMutableBytes { buffer in
                let count = try unsafe file.read(into: buffer, at: offset)
                unsafe crc.update(with: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                return count
            }
            offset += count
            if count < buffer.count { return offset }
        }
    }
}
