import FoundationEssentials
import StrataFiles
import StrataModel
import StrataStore

/// The file, beside a store, that holds what a save over several stores changes in it, until the save has reached it.
///
/// The save is decided at the moment at which the file of its *home* store is in place: all other files were written before it, and it
/// goes last. So a store that is opened with a pending file finishes the save where the home's file is there (or it is the home itself),
/// and forgets it where that file is not.
///
/// In order: the magic `StrataPending1\0\0`, the save's ID, the store's UUID, the path of the home's file, the paths of all files of the
/// save, the change set, and a CRC32C of everything before it.
struct PendingSave {
    var id: String
    var storeUUID: String
    var homePath: String
    var allPaths: [String]
    var changes: [UInt8]

    private static let magic = Array("StrataPending1\0\0".utf8)

    /// The path of a store's file for a save.
    static func path(forStoreAt storePath: String, id: String) -> String {
        PathName.joining(PathName.parent(of: storePath), ".\(PathName.last(of: storePath)).\(id).pending")
    }

    /// The paths of all pending files of a store.
    static func paths(forStoreAt storePath: String, _ files: any FileSystem) throws -> [String] {
        let directory = PathName.parent(of: storePath)
        let prefix = ".\(PathName.last(of: storePath))."
        return try files.names(inDirectory: directory)
            .filter { $0.hasPrefix(prefix) && $0.hasSuffix(".pending") && $0.utf8.count == prefix.utf8.count + 36 + ".pending".utf8.count }
            .map { PathName.joining(directory, $0) }
    }

    func write(to path: String, _ files: any FileSystem) throws {
        var out = ByteWriter()
        out.write(PendingSave.magic)
        out.write(text: id)
        out.write(text: storeUUID)
        out.write(text: homePath)
        out.write(UInt64(allPaths.count))
        for path in allPaths { out.write(text: path) }
        out.write(UInt64(changes.count))
        out.write(changes)
        out.write(UInt64(CRC32C.checksum(of: out.bytes)))
        let bytes = out.bytes
        try AtomicReplacement.prepare(path: path, fileSystem: files) { try $0.write(bytes) }.commit()
    }

    /// Reads a file; it was put in its place whole, so anything else is damage.
    init(at path: String, _ files: any FileSystem) throws {
        let bytes = try files.contents(of: path)
        func damaged() -> StoreError {
            StoreError(.inDoubt, "open", "the file that finishes an interrupted save is damaged", path: path)
        }
        guard bytes.count > 8 else { throw damaged() }
        var reader = ByteReader(bytes.dropLast(8))
        var trailer = ByteReader(bytes.suffix(8))
        guard trailer.integer() == Int64(CRC32C.checksum(of: Array(bytes.dropLast(8)))),
            reader.bytes(PendingSave.magic.count).map(Array.init) == PendingSave.magic,
            let id = reader.text(), let uuid = reader.text(), let home = reader.text(), let count = reader.count()
        else { throw damaged() }
        var paths: [String] = []
        for _ in 0..<count {
            guard let path = reader.text() else { throw damaged() }
            paths.append(path)
        }
        guard let length = reader.count(), let changes = reader.bytes(length), reader.isAtEnd else { throw damaged() }
        self.init(id: id, storeUUID: uuid, homePath: home, allPaths: paths, changes: Array(changes))
    }

    init(id: String, storeUUID: String, homePath: String, allPaths: [String], changes: [UInt8]) {
        self.id = id
        self.storeUUID = storeUUID
        self.homePath = homePath
        self.allPaths = allPaths
        self.changes = changes
    }
}
