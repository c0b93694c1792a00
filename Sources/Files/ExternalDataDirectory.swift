import FoundationEssentials
import Glibc
import Synchronization

/// The large values that a store keeps beside itself, one file each:
/// `.<store name without extension>_SUPPORT/_EXTERNAL_DATA/<UUID>`, as Core Data lays them out.
///
/// A file is written once and never changed. Write it before the save that refers to it, remove it after the save that drops it:
/// a crash between leaves a file that nobody refers to, never a reference to no file.
public struct ExternalDataDirectory: Sendable {
    /// The directory that holds the files; missing until the first is written.
    public let path: String
    private let storePath: String
    private let supportPath: String
    private let fileSystem: any FileSystem
    private let durability: Durability
    private let anchor = Anchor()

    /// Remembers whether the directory's own entry is known to be on disk: whoever made it may have ended before forcing it there.
    private final class Anchor: Sendable {
        let isDurable = Atomic(false)
    }

    /// The directory beside the store at `storePath`. Touches nothing.
    public init(storePath: String, fileSystem: any FileSystem = PosixFileSystem.shared, durability: Durability = .full) {
        self.storePath = storePath
        supportPath = PathName.joining(PathName.parent(of: storePath), ".\(PathName.stem(of: storePath))_SUPPORT")
        path = PathName.joining(supportPath, "_EXTERNAL_DATA")
        self.fileSystem = fileSystem
        self.durability = durability
    }

    /// Writes `bytes` to a new file and answers its name, an upper-case UUID. Durable on return under ``Durability/full``.
    ///
    /// The file is no more readable to others than the store is. On an error no file is left behind.
    public func write(_ bytes: UnsafeRawBufferPointer) throws(FileError) -> String {
        try makeDurableDirectory()
        let name = UUID().uuidString
        let filePath = PathName.joining(path, name)
        let file = try fileSystem.open(filePath, .createExclusive(permissions: permissions()))
        do {
            try file.write(bytes, at: 0)
            if durability == .full { try file.synchronize() }
            try file.close()
            if durability == .full { try fileSystem.synchronizeDirectory(path) }
        } catch {
            try? file.close()
            try? fileSystem.unlink(filePath)
            throw error
        }
        return name
    }

    /// Writes `bytes` to a new file and answers its name.
    public func write(_ bytes: [UInt8]) throws(FileError) -> String {
        try bytes.withUnsafeBufferPointer { (buffer) throws(FileError) in try write(UnsafeRawBufferPointer(buffer)) }
    }

    /// The content of the file called `name`. Throws ``FileError``: `EINVAL` if `name` is no UUID, whatever it would lead to.
    public func read(_ name: String) throws(FileError) -> [UInt8] {
        try fileSystem.contents(of: filePath(of: name))
    }

    /// The content of the file called `name`, mapped. Throws as ``read(_:)`` does.
    public func map(_ name: String) throws(FileError) -> MappedFile {
        try fileSystem.map(filePath(of: name))
    }

    /// Removes files; missing ones do not matter. Throws `EINVAL`, with nothing removed, if a name is no UUID.
    public func remove(_ names: some Sequence<String>) throws(FileError) {
        var paths: [String] = []
        for name in names { paths.append(try filePath(of: name)) }
        for path in paths { try fileSystem.removeIfPresent(path) }
    }

    /// Removes all files and the directory.
    public func removeAll() throws(FileError) {
        anchor.isDurable.store(false, ordering: .releasing)
        try fileSystem.removeTree(path)
        do { try fileSystem.removeDirectory(supportPath) } catch {
            // What else is in the support directory is not ours.
            if !error.isMissing && !error.isExisting { throw error }
        }
    }

    /// The names of all files, sorted; anything not called by a UUID is passed over.
    public func names() throws(FileError) -> [String] {
        do { return try fileSystem.names(inDirectory: path).filter(Self.isName) } catch {
            if error.isMissing { return [] }
            throw error
        }
    }

    /// Copies all files, each whole or not at all; files of the same name are replaced.
    public func copy(to destination: ExternalDataDirectory) throws(FileError) {
        if path == destination.path { return }
        for name in try prepareToReceive(names(), in: destination) { try copy(name, to: destination) }
    }

    /// Moves all files, within a file system by renaming, and removes this directory.
    public func move(to destination: ExternalDataDirectory) throws(FileError) {
        if path == destination.path { return }
        for name in try prepareToReceive(names(), in: destination) {
            do {
                try fileSystem.rename(PathName.joining(path, name), to: PathName.joining(destination.path, name))
            } catch {
                guard error.isCrossDevice else { throw error }
                try copy(name, to: destination)
            }
        }
        // The new entries must be on disk before the old ones may go.
        if destination.durability == .full, destination.fileSystem.exists(destination.path) {
            try destination.fileSystem.synchronizeDirectory(destination.path)
        }
        try removeAll()
    }

    /// Whether `name` has a UUID's form: 32 hexadecimal digits and four hyphens in their places.
    public static func isName(_ name: String) -> Bool {
        let utf8 = Array(name.utf8)
        guard utf8.count == 36 else { return false }
        for (index, byte) in utf8.enumerated() {
            switch index {
            case 8, 13, 18, 23: if byte != UInt8(ascii: "-") { return false }
            default: if !isHexadecimalDigit(byte) { return false }
            }
        }
        return true
    }

    private static func isHexadecimalDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "F"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
        default: false
        }
    }

    private func filePath(of name: String) throws(FileError) -> String {
        guard Self.isName(name) else { throw FileError(.open, path: PathName.joining(path, name), code: EINVAL) }
        return PathName.joining(path, name)
    }

    private func permissions() throws(FileError) -> UInt32 {
        (try fileSystem.statusIfPresent(of: storePath)?.permissions ?? 0o666) & 0o666
    }

    private func makeDurableDirectory() throws(FileError) {
        try fileSystem.makeDirectories(path, durability: durability)
        guard durability == .full, !anchor.isDurable.load(ordering: .acquiring) else { return }
        try fileSystem.synchronizeDirectory(supportPath)
        try fileSystem.synchronizeDirectory(PathName.parent(of: supportPath))
        anchor.isDurable.store(true, ordering: .releasing)
    }

    private func prepareToReceive(_ names: [String], in destination: ExternalDataDirectory) throws(FileError) -> [String] {
        if !names.isEmpty {
            try destination.makeDurableDirectory()
        }
        return names
    }

    private func copy(_ name: String, to destination: ExternalDataDirectory) throws(FileError) {
        let source = try map(name)
        do {
            try AtomicReplacement.prepare(
                path: PathName.joining(destination.path, name), fileSystem: destination.fileSystem, durability: destination.durability,
                newFilePermissions: permissions()
            ) { sink in
                try source.withBytes { (bytes) throws(FileError) in try sink.write(bytes) }
            }.commit()
        } catch {
            // Nothing in there throws anything else.
            throw error as? FileError ?? FileError(.write, path: PathName.joining(destination.path, name), code: EIO)
        }
    }
}
