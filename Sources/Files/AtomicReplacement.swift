import StrataPlatform
import Synchronization

/// A file's new content, written and synchronized beside the old file, which it replaces when it is committed.
///
/// ``` swift
/// let replacement = try AtomicReplacement.prepare(path: path) { sink in try sink.write(text) }
/// try replacement.commit()
/// ```
///
/// A crash at any instruction leaves the old or the new content whole; once ``commit()`` has returned under
/// ``Forcing/everything``, the new. The live file is unchanged until the rename. Several files can be prepared first
/// and committed after. A replacement released uncommitted is discarded.
public final class AtomicReplacement: Sendable {
    /// The file to replace, symbolic links resolved.
    public let path: String
    /// The file that holds the new content until ``commit()``.
    public let temporaryPath: String
    /// The length of the new content.
    public let byteCount: Int
    private let fileSystem: any FileSystem
    // Opened before the rename, so that no descriptor is needed after it. None when relaxed.
    private let directory: (any OpenFile)?
    private let name: TemporaryName?
    private let isFinished = Atomic(false)

    private init(
        path: String, temporaryPath: String, byteCount: Int, fileSystem: any FileSystem, directory: (any OpenFile)?,
        name: TemporaryName?
    ) {
        self.path = path
        self.temporaryPath = temporaryPath
        self.byteCount = byteCount
        self.fileSystem = fileSystem
        self.directory = directory
        self.name = name
    }

    deinit { discard() }

    /// Writes and synchronizes the new content of the file at `path` beside it.
    ///
    /// The new file has the permissions of the old and, where the process may give files away, its owner. If `path` is
    /// a symbolic link, the file that it references is replaced. On an error no files remain and the live file is
    /// unchanged.
    ///
    /// - Parameters:
    ///   - path: The file to replace, or to make.
    ///   - fileSystem: The file system.
    ///   - forcing: The guarantee on a loss of power.
    ///   - newFilePermissions: The permissions of a new file, less the process's mask.
    ///   - writing: Writes the new content.
    /// - Throws: ``FileError`` from the file system, or whatever `writing` throws.
    public static func prepare(
        path: String, fileSystem: any FileSystem = PosixFileSystem.shared, forcing: Forcing = .everything,
        newFilePermissions: UInt32 = 0o666, writing: (inout FileSink) throws -> Void
    ) throws -> AtomicReplacement {
        try prepare(path, fileSystem, forcing, newFilePermissions) { file, _, target in
            if let target { try copyOwnerAndPermissions(of: target, to: file) }
            var sink = FileSink(file)
            try writing(&sink)
            try sink.flush()
            if forcing != .nothing { try file.synchronize() }
            try file.close()
            return sink.byteCount
        }
    }

    /// Like ``prepare(path:fileSystem:forcing:newFilePermissions:writing:)``, for a file that a library writes.
    ///
    /// - Parameters:
    ///   - path: The file to replace.
    ///   - fileSystem: The file system of the path.
    ///   - newFilePermissions: The permissions of a new file, less the process's mask.
    ///   - makingFile: Creates and closes the file at the given path, which does not exist yet.
    /// - Throws: ``FileError``; what `makingFile` throws.
    public static func prepare(
        path: String, fileSystem: any FileSystem = PosixFileSystem.shared, newFilePermissions: UInt32, makingFile: (String) throws -> Void
    ) throws -> AtomicReplacement {
        try prepare(path, fileSystem, .everything, newFilePermissions) { file, temporaryPath, target in
            try file.close()
            try makingFile(temporaryPath)
            let made = try fileSystem.open(temporaryPath, .readWrite)
            if let target { try copyOwnerAndPermissions(of: target, to: made) }
            try made.synchronize()
            let size = try made.status().size
            try made.close()
            return size
        }
    }

    /// - Parameter fill: Fills and closes the new file, given with its path and the status of the one to replace; returns
    ///   the length of its content.
    private static func prepare(
        _ path: String, _ fileSystem: any FileSystem, _ forcing: Forcing, _ newFilePermissions: UInt32,
        _ fill: (any OpenFile, _ temporaryPath: String, FileStatus?) throws -> Int
    ) throws -> AtomicReplacement {
        let path = try fileSystem.resolvingLinks(path)
        let target = try fileSystem.statusIfPresent(of: path)
        if let target, target.isDirectory { throw FileError(.open, path: path, code: EISDIR) }
        let parent = PathName.parent(of: path)
        let directory = forcing == .everything ? try fileSystem.open(parent, .directory) : nil
        let name = TemporaryName(replacing: PathName.last(of: path))
        let temporaryPath = PathName.joining(parent, name.name)
        name.markActive()
        var opened: (any OpenFile)?
        do {
            // Private until it has the target's permissions; a new file gets what the process's mask leaves.
            let file = try fileSystem.open(temporaryPath, .createExclusive(permissions: target == nil ? newFilePermissions : 0o600))
            opened = file
            let count = try fill(file, temporaryPath, target)
            return AtomicReplacement(
                path: path, temporaryPath: temporaryPath, byteCount: count, fileSystem: fileSystem, directory: directory, name: name)
        } catch {
            try? opened?.close()
            // If the name exists the file is another's; any other failed open may have created it.
            if (error as? FileError)?.isExisting != true || opened != nil { try? fileSystem.unlink(temporaryPath) }
            name.markInactive()
            throw error
        }
    }

    /// Commits the content as a new file.
    ///
    /// Call it once, on the operating system's files.
    ///
    /// - Throws: ``FileError``; with ``FileError/isExisting`` another file exists by now, and stays.
    public func commitNew() throws(FileError) {
        let files = PosixFileSystem.shared
        do { try files.link(temporaryPath, to: path) } catch {
            // Not every file system has links.
            guard !error.isExisting, !error.isFull, try files.statusIfPresent(of: path, followingLinks: false) == nil else { throw error }
            return try commit()
        }
        discard()
        try synchronizeDirectory()
    }

    /// Replaces the old content by the new one.
    ///
    /// Call it once.
    ///
    /// - Throws: ``FileError``. With ``FileError/stateIsUnknown`` the rename may have happened, or have happened
    ///   without being durable; otherwise the old content stays and the new one is deleted.
    public func commit() throws(FileError) {
        // `precondition` has no message in release builds.
        if !finish() { fatalError("a replacement is committed once, and not after it was discarded") }
        defer { name?.markInactive() }
        do { try fileSystem.rename(temporaryPath, to: path) } catch {
            do { try fileSystem.unlink(temporaryPath) } catch let cleanup {
                // If the temporary file is missing, the rename may have happened although it reported a failure.
                if cleanup.isMissing || !fileSystem.exists(temporaryPath) { throw error.withUnknownState(of: path) }
            }
            throw error
        }
        try synchronizeDirectory()
    }

    private func synchronizeDirectory() throws(FileError) {
        do { try directory?.synchronize() } catch { throw error.withUnknownState(of: path) }
    }

    /// Removes the new content and leaves the old.
    ///
    /// Does nothing after ``commit()`` or a second time.
    public func discard() {
        guard finish() else { return }
        try? fileSystem.unlink(temporaryPath)
        name?.markInactive()
    }

    /// Resumes a replacement by a complete and synchronized file, such as a library's.
    ///
    /// The temporary file is in the directory of `path`, which is replaced itself, also if it is a symbolic link.
    ///
    /// - Throws: ``FileError``; `ENOENT` without a file, `EINVAL` for one that is not regular.
    public static func resume(
        temporaryPath: String, path: String, fileSystem: any FileSystem = PosixFileSystem.shared, forcing: Forcing = .everything
    ) throws(FileError) -> AtomicReplacement {
        let status = try fileSystem.status(of: temporaryPath, followingLinks: false)
        guard status.kind == .regular else { throw FileError(.status, path: temporaryPath, code: EINVAL) }
        let directory = forcing == .everything ? try fileSystem.open(PathName.parent(of: path), .directory) : nil
        let name = TemporaryName(PathName.last(of: temporaryPath), replacing: PathName.last(of: path))
        name?.markActive()
        return AtomicReplacement(
            path: path, temporaryPath: temporaryPath, byteCount: status.size, fileSystem: fileSystem, directory: directory, name: name)
    }

    /// Removes the leftovers of replacements of the file at `path` whose process ended.
    ///
    /// Call it when opening the file, holding its lock: processes of other machines or containers are not visible.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - companions: The suffixes of companion files beside a replacement, which are removed with it.
    ///   - fileSystem: The file system.
    /// - Throws: ``FileError`` if the directory cannot be listed, or a file not removed.
    public static func removeLeftovers(
        of path: String, companions: [String] = [], fileSystem: any FileSystem = PosixFileSystem.shared
    ) throws(FileError) {
        let path = try fileSystem.resolvingLinks(path)
        let parent = PathName.parent(of: path)
        let target = PathName.last(of: path)
        let prefix = TemporaryName.prefix(of: target)
        for entry in try fileSystem.names(inDirectory: parent) where entry.hasPrefix(prefix) {
            let found = PathName.joining(parent, entry)
            if let name = TemporaryName(entry, replacing: target) {
                if name.isAbandoned { try fileSystem.removeIfPresent(found) }
            } else if let ending = companions.first(where: { entry.hasSuffix(".tmp" + $0) }) {
                // A companion in use has its replacement beside it.
                if try fileSystem.statusIfPresent(of: String(found.dropLast(ending.count))) == nil { try fileSystem.removeIfPresent(found) }
            }
        }
    }

    /// Returns whether the replacement was neither committed nor discarded before.
    private func finish() -> Bool { !isFinished.exchange(true, ordering: .acquiringAndReleasing) }

    private static func copyOwnerAndPermissions(of target: FileStatus, to file: any OpenFile) throws(FileError) {
        let own = try file.status()
        if own.user != target.user || own.group != target.group {
            do { try file.setOwner(user: target.user, group: target.group) } catch {
                // Only a privileged process may change owners; the content matters more.
                if !error.isDenied { throw error }
            }
        }
        try file.setPermissions(target.permissions)
    }
}
