import StrataPlatform
import Synchronization

/// The external values of a store, one file each: `.<store name without extension>_SUPPORT/_EXTERNAL_DATA/<UUID>`.
///
/// A file is written once and never changed. Write it before the save that refers to it, remove it after the save that
/// drops it: a crash between leaves an unreferenced file, never a dangling reference. The name contains a checksum of
/// the content: changes, truncation and exchange are detected when the file is read.
///
/// Stores whose names differ in the extension share a directory; names of files identify their store.
public struct ExternalDataDirectory: Sendable {
    /// The directory that holds the files; missing until the first is written.
    public let path: String
    private let storePath: String
    private let supportPath: String
    private let fileSystem: any FileSystem
    private let forcing: Forcing
    /// The suffix of the names of the store's files.
    private let owner: UInt32
    private let anchor: Anchor

    /// Whether the directory's own entry is known to be synchronized: its creator may have ended before that.
    private final class Anchor: Sendable {
        let isDurable = Atomic(false)
    }

    /// Creates the directory beside the store at `storePath`.
    ///
    /// Touches nothing.
    ///
    /// The names of the store's files are made of its ID, `storeID`; it is `nil` where none is going to be written.
    public init(
        storePath: String, storeID: String? = nil, fileSystem: any FileSystem = PosixFileSystem.shared, forcing: Forcing = .everything
    ) {
        self.storePath = storePath
        // The name of the store too: a copy of it beside it has the same ID.
        owner = CRC32C.checksum(of: Array((PathName.last(of: storePath) + "/" + (storeID ?? "")).utf8))
        anchor = Anchor()
        supportPath = PathName.joining(PathName.parent(of: storePath), ".\(PathName.stem(of: storePath))_SUPPORT")
        path = PathName.joining(supportPath, "_EXTERNAL_DATA")
        self.fileSystem = fileSystem
        self.forcing = forcing
    }

    /// Returns the same directory as the store of an ID uses it.
    public func owned(by storeID: String) -> ExternalDataDirectory {
        ExternalDataDirectory(storePath: storePath, storeID: storeID, fileSystem: fileSystem, forcing: forcing)
    }

    /// Writes `bytes` to a new file and answers its name, an upper-case UUID.
    ///
    /// Durable on return under ``Forcing/everything``.
    ///
    /// The file is no more readable to others than the store is. On an error no file is left behind.
    ///
    /// - Throws: ``FileError`` where the file cannot be written; nothing is left of it then.
    public func write(_ bytes: UnsafeRawBufferPointer) throws(FileError) -> String {
        try makeDurableDirectory()
        let (name, file) = try unsafe create(for: bytes)
        let filePath = PathName.joining(path, name)
        do {
            try unsafe file.write(bytes, at: 0)
            if forcing == .everything { try file.synchronize() }
            try file.close()
            if forcing == .everything { try fileSystem.synchronizeDirectory(path) }
        } catch {
            try? file.close()
            try? fileSystem.unlink(filePath)
            throw error
        }
        return name
    }

    /// Writes `bytes` to a new file and answers its name.
    ///
    /// - Throws: As ``write(_:)-(UnsafeRawBufferPointer)``.
    public func write(_ bytes: [UInt8]) throws(FileError) -> String {
        try unsafe bytes.withUnsafeBufferPointer { (buffer) throws(FileError) in try unsafe write(UnsafeRawBufferPointer(buffer)) }
    }

    /// Creates a new file under a unique name.
    private func create(for bytes: UnsafeRawBufferPointer) throws(FileError) -> (String, any OpenFile) {
        let permissions = try permissions()
        var attempts = 0
        while true {
            let name = unsafe ExternalFileName(for: bytes, owner: owner).text
            do { return (name, try fileSystem.open(PathName.joining(path, name), .createExclusive(permissions: permissions))) } catch {
                attempts += 1
                guard error.isExisting, attempts < 8 else { throw error }
            }
        }
    }

    /// Returns the content of the file called `name`, read, since truncation of a mapped file ends the process.
    ///
    /// - Throws: ``FileError``: `EINVAL` if `name` is not a UUID; `EBADMSG` if the content does not match the name.
    public func read(_ name: String) throws(FileError) -> [UInt8] {
        let path = try filePath(of: name)
        let bytes = try fileSystem.contents(of: path)
        if let name = ExternalFileName(name), unsafe !bytes.withUnsafeBytes(name.vouches) {
            throw FileError(.read, path: path, code: EBADMSG)
        }
        return bytes
    }

    /// Removes files; ignores missing files and directories of these names, which the store did not create.
    ///
    /// - Throws: ``FileError``: `EINVAL`, with nothing removed, if a name is no UUID; else the first failure.
    public func remove(_ names: some Sequence<String>) throws(FileError) {
        var paths: [String] = []
        for name in names { paths.append(try filePath(of: name)) }
        for path in paths {
            do { try fileSystem.removeIfPresent(path) } catch {
                if error.code != EISDIR { throw error }
            }
        }
    }

    /// Removes the files of a store that goes: those that it names, and what it wrote and does not name.
    ///
    /// The directory is removed with the last file.
    ///
    /// - Throws: ``FileError`` of the first file that cannot be removed.
    public func removeStore(naming names: some Sequence<String>) throws(FileError) {
        try remove(Set(names).filter(Self.isName).union(ownedNames()))
        anchor.isDurable.store(false, ordering: .releasing)
        for directory in [path, supportPath] {
            do { try fileSystem.removeDirectory(directory) } catch {
                // Other files in it are not the store's.
                if !error.isMissing && !error.isExisting { throw error }
            }
        }
    }

    /// Returns the names of all files, sorted; anything not called by a UUID is passed over.
    ///
    /// - Throws: ``FileError`` where there is a directory that cannot be listed.
    public func names() throws(FileError) -> [String] {
        do { return try fileSystem.names(inDirectory: path).filter(Self.isName) } catch {
            if error.isMissing { return [] }
            throw error
        }
    }

    /// Returns the names of the files that the store itself wrote, possibly unreferenced ones of an interrupted save.
    ///
    /// - Throws: As ``names()``.
    public func ownedNames() throws(FileError) -> Set<String> {
        Set(try names().filter { ExternalFileName($0)?.owner == owner })
    }

    /// Returns whether the file called `name` is there, with the content that its name has the checksum of; false for
    /// a name without one.
    public func isWhole(_ name: String) -> Bool {
        guard ExternalFileName(name) != nil else { return false }
        return (try? read(name)) != nil
    }

    /// Copies files, each whole or not at all; files of the same name are replaced, and missing ones are left out.
    ///
    /// - Parameters:
    ///   - names: The names of the files.
    ///   - destination: Where the copies are.
    ///   - earlier: Has earlier copies of some, which are durable: whole ones get a hard link instead of a copy.
    /// - Throws: ``FileError`` of the first file that cannot be read or written.
    public func copy(
        _ names: some Sequence<String>, to destination: ExternalDataDirectory, linking earlier: ExternalDataDirectory? = nil
    ) throws(FileError) {
        if path == destination.path { return }
        var (isReady, hasLinks) = (false, false)
        for name in names {
            let filePath = try filePath(of: name)
            guard let status = try fileSystem.statusIfPresent(of: filePath) else { continue }
            if !isReady { try destination.makeDurableDirectory() }
            isReady = true
            if let earlier, earlier.link(name, status.size, to: destination) {
                hasLinks = true
                continue
            }
            // Unchecked: the copy of a damaged value is as damaged.
            let source = try fileSystem.contents(of: filePath)
            let path = PathName.joining(destination.path, name)
            do {
                try AtomicReplacement.prepare(
                    path: path, fileSystem: destination.fileSystem, forcing: destination.forcing, newFilePermissions: permissions()
                ) { sink in
                    try sink.write(source)
                }.commit()
            } catch {
                // No other errors are thrown.
                throw error as? FileError ?? FileError(.write, path: path, code: EIO)
            }
        }
        if hasLinks && destination.forcing == .everything { try destination.fileSystem.synchronizeDirectory(destination.path) }
    }

    /// Links a whole file of a length; returns whether it did, which a file system need not support.
    private func link(_ name: String, _ size: Int, to destination: ExternalDataDirectory) -> Bool {
        let path = PathName.joining(path, name)
        guard (try? fileSystem.status(of: path))?.size == size, isWhole(name) else { return false }
        return (try? fileSystem.link(path, to: PathName.joining(destination.path, name))) != nil
    }

    /// Returns whether `name` has the form of a UUID: 32 hexadecimal digits in five groups between hyphens.
    public static func isName(_ name: String) -> Bool {
        name.utf8.count == 36
            && name.utf8.enumerated().allSatisfy { index, byte in
                switch index {
                case 8, 13, 18, 23: byte == UInt8(ascii: "-")
                default: UnicodeScalar(byte).properties.isASCIIHexDigit
                }
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
        try fileSystem.makeDirectories(path, forcing: forcing)
        guard forcing == .everything, !anchor.isDurable.load(ordering: .acquiring) else { return }
        try fileSystem.synchronizeDirectory(supportPath)
        try fileSystem.synchronizeDirectory(PathName.parent(of: supportPath))
        anchor.isDurable.store(true, ordering: .releasing)
    }
}
