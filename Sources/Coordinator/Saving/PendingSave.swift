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
/// In order: the magic `StrataPending1\0\0`, the save's ID, the UUIDs of the store and of the home, the number of the save's stores, the
/// path of each store, this one's first, then the home's, the change set, and a CRC32C of everything before it.
struct PendingSave {
    var id: String
    var storeUUID: String
    var homeUUID: String
    /// The absolute path of the store.
    var storePath: String
    /// The absolute path of the home store.
    var homePath: String
    /// The absolute paths of the save's other stores.
    var otherPaths: [String]
    var changes: [UInt8]

    private static let magic = Array("StrataPending1\0\0".utf8)

    var isHome: Bool { storeUUID == homeUUID }

    // MARK: - Names

    /// What a file of a save says by its name.
    enum Kind: String {
        /// The save may still have to reach the store.
        case pending
        /// Left by the home: the save is decided and has reached it, but not yet all others.
        case decided
    }

    /// The path of a store's file for a save.
    static func path(forStoreAt storePath: String, id: String, _ kind: Kind = .pending) -> String {
        PathName.joining(PathName.parent(of: storePath), "\(prefix(storePath))\(id).\(kind)")
    }

    /// The paths of all files of a kind that a store has.
    static func paths(forStoreAt storePath: String, _ kind: Kind, _ files: any FileSystem) throws -> [String] {
        let directory = PathName.parent(of: storePath)
        let (prefix, suffix) = (prefix(storePath), ".\(kind)")
        return try files.names(inDirectory: directory)
            .filter { $0.hasPrefix(prefix) && $0.hasSuffix(suffix) && $0.utf8.count == prefix.utf8.count + idLength + suffix.utf8.count }
            .map { PathName.joining(directory, $0) }
    }

    /// Removes what a crash left of files that were not in their place yet.
    static func removeLeftovers(forStoreAt storePath: String, _ files: any FileSystem) throws {
        let directory = PathName.parent(of: storePath)
        let prefix = ".\(prefix(storePath))"
        let length = prefix.utf8.count + idLength + ".\(Kind.pending)".utf8.count
        for name in try files.names(inDirectory: directory) where name.hasPrefix(prefix) && name.hasSuffix(".tmp") {
            let target = String(decoding: name.utf8.prefix(length).dropFirst(), as: UTF8.self)
            guard target.hasSuffix(".\(Kind.pending)") else { continue }
            try AtomicReplacement.removeLeftovers(of: PathName.joining(directory, target), fileSystem: files)
        }
    }

    private static let idLength = 36
    private static func prefix(_ storePath: String) -> String { ".\(PathName.last(of: storePath))." }

    // MARK: - Reading and writing

    func write(_ files: any FileSystem) throws {
        var out = ByteWriter()
        out.write(PendingSave.magic)
        for text in [id, storeUUID, homeUUID] { out.write(text: text) }
        let paths = [storePath, homePath] + otherPaths
        out.write(UInt64(paths.count))
        for path in paths { out.write(text: path) }
        out.write(UInt64(changes.count))
        out.write(changes)
        out.write(UInt64(CRC32C.checksum(of: out.bytes)))
        let bytes = out.bytes
        let path = PendingSave.path(forStoreAt: storePath, id: id)
        try AtomicReplacement.prepare(path: path, fileSystem: files) { try $0.write(bytes) }.commit()
    }

    init(
        id: String,
        storeUUID: String,
        homeUUID: String,
        storePath: String,
        homePath: String,
        otherPaths: [String],
        changes: [UInt8]
    ) {
        self.id = id
        self.storeUUID = storeUUID
        self.homeUUID = homeUUID
        self.storePath = storePath
        self.homePath = homePath
        self.otherPaths = otherPaths
        self.changes = changes
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
            let id = reader.text(), let uuid = reader.text(), let home = reader.text(), let count = reader.count(), count >= 2
        else { throw damaged() }
        var paths: [String] = []
        for _ in 0..<count {
            guard let path = reader.text() else { throw damaged() }
            paths.append(path)
        }
        guard let length = reader.count(), let changes = reader.bytes(length), reader.isAtEnd else { throw damaged() }
        self.init(
            id: id,
            storeUUID: uuid,
            homeUUID: home,
            storePath: paths[0],
            homePath: paths[1],
            otherPaths: Array(paths[2...]),
            changes: Array(changes)
        )
    }

    // MARK: - Other stores of the save

    /// Where another store of the save may be now, the likeliest place first: where it was, or, when this one has moved since, where it is if
    /// it moved along.
    func places(of otherPath: String, seenFrom currentPath: String) -> [String] {
        let (old, other) = (components(storePath), components(otherPath))
        let current = components(PendingSave.absolute(currentPath))
        if current == old { return [otherPath] }
        let shared = zip(old.dropLast(), other.dropLast()).prefix { $0 == $1 }.count
        let ownRest = old[shared...]
        guard current.suffix(ownRest.count) == ownRest else { return [otherPath] }
        let moved = "/" + (current.dropLast(ownRest.count) + other[shared...]).joined(separator: "/")
        return [moved, otherPath]
    }

    private func components(_ path: String) -> [Substring] { path.split(separator: "/") }

    /// A path that means the same in other processes.
    static func absolute(_ path: String) -> String {
        path.utf8.first == UInt8(ascii: "/") ? path : PathName.joining(FileManager.default.currentDirectoryPath, path)
    }
}
