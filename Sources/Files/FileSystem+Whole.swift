import StrataPlatform

extension OpenFile {
    /// Fills `buffer` from `offset`, as far as the file goes, and answers the number of bytes read.
    ///
    /// - Throws: ``FileError`` where a read fails; an interrupted one is repeated.
    public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(FileError) -> Int {
        var done = 0
        while done < buffer.count {
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            let count: Int
            do { count = try unsafe readOnce(into: rest, at: offset + done) } catch {
                if error.code == EINTR { continue }
                throw error
            }
            if count == 0 { break }
            done += count
        }
        return done
    }

    /// Up to `count` bytes from `offset`, as far as the file goes.
    ///
    /// - Throws: ``FileError`` where a read fails.
    public func bytes(at offset: Int = 0, count: Int) throws(FileError) -> [UInt8] {
        var failure: FileError?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            do throws(FileError) { filled = try unsafe read(into: UnsafeMutableRawBufferPointer(buffer), at: offset) } catch {
                failure = error
                filled = 0
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Writes all of `bytes` at `offset`.
    ///
    /// - Throws: ``FileError`` of the write that failed: `EIO` where the system accepts no byte at all.
    public func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FileError) {
        var done = 0
        while done < bytes.count {
            let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[done...])
            let count: Int
            do { count = try unsafe writeOnce(rest, at: offset + done) } catch {
                if error.code == EINTR { continue }
                throw error
            }
            guard count > 0 else { throw FileError(.write, path: path, code: EIO) }
            done += count
        }
    }

    /// Writes all of `bytes` at `offset`.
    ///
    /// - Throws: ``FileError`` where a write fails; some of the bytes may be written.
    public func write(_ bytes: [UInt8], at offset: Int) throws(FileError) {
        try unsafe bytes.withUnsafeBufferPointer { (buffer) throws(FileError) in
            try unsafe write(UnsafeRawBufferPointer(buffer), at: offset)
        }
    }
}

extension FileSystem {
    public func link(_ path: String, to name: String) throws(FileError) { throw FileError(.rename, path: name, code: EOPNOTSUPP) }

    /// Returns the status of what is at `path`, links followed.
    ///
    /// - Throws: ``FileError``, also where nothing is there.
    public func status(of path: String) throws(FileError) -> FileStatus {
        try status(of: path, followingLinks: true)
    }

    /// Returns the status of the file at `path`, or `nil` if it does not exist.
    ///
    /// - Throws: ``FileError`` if the status is unavailable.
    public func statusIfPresent(of path: String, followingLinks: Bool = true) throws(FileError) -> FileStatus? {
        do { return try status(of: path, followingLinks: followingLinks) } catch {
            if error.isMissing { return nil }
            throw error
        }
    }

    /// Returns whether `path` exists; false also if that is unknown.
    public func exists(_ path: String) -> Bool {
        (try? status(of: path)) != nil
    }

    /// Returns the whole content of the file at `path`.
    ///
    /// - Throws: ``FileError`` if it cannot be opened or read: `EISDIR` or `EINVAL` if it is no regular file,
    ///   `EOVERFLOW` if it is longer than `limit` bytes.
    public func contents(of path: String, limit: Int = 4 << 30) throws(FileError) -> [UInt8] {
        let file = try open(path, .read)
        let status = try file.status()
        guard status.kind == .regular else { throw FileError(.read, path: path, code: status.isDirectory ? EISDIR : EINVAL) }
        // A damaged or malicious length must not become an allocation that traps.
        guard status.size <= limit else { throw FileError(.read, path: path, code: EOVERFLOW) }
        return try file.bytes(count: status.size)
    }

    /// Returns up to `count` of the first bytes of a file of unknown format.
    ///
    /// It preserves all locks of this process on the file, also of databases not registered with ``OpenDatabases``.
    ///
    /// - Throws: ``FileError`` if the file cannot be opened or read.
    public func beginning(of path: String, count: Int) throws(FileError) -> [UInt8] {
        let file = try open(path, .read)
        let bytes = try file.bytes(count: count)
        if bytes.starts(with: "SQLite format 3\0".utf8) { (file as? PosixFile)?.noteDatabase() }
        try file.close()
        return bytes
    }

    /// Forces the entries of a directory to disk.
    ///
    /// - Throws: ``FileError`` where it cannot be opened or forced to disk.
    public func synchronizeDirectory(_ path: String) throws(FileError) {
        let directory = try open(path, .directory)
        try directory.synchronize()
    }

    /// Makes a directory and its missing parents, each one's entry forced to disk under ``Forcing/everything``.
    ///
    /// Does nothing if the directory exists.
    ///
    /// - Throws: ``FileError`` of the first that cannot be made.
    public func makeDirectories(
        _ path: String, permissions: UInt32 = 0o777, forcing: Forcing = .everything
    ) throws(FileError) {
        if let status = try statusIfPresent(of: path) {
            guard status.isDirectory else { throw FileError(.makeDirectory, path: path, code: ENOTDIR) }
            return
        }
        let parent = PathName.parent(of: path)
        if parent != path { try makeDirectories(parent, permissions: permissions, forcing: forcing) }
        do { try makeDirectory(path, permissions: permissions) } catch {
            guard error.code == EEXIST, try status(of: path).isDirectory else { throw error }
        }
        guard forcing == .everything else { return }
        do { try synchronizeDirectory(parent) } catch {
            // Otherwise it would count as durable the next time.
            try? removeDirectory(path)
            throw error
        }
    }

    /// Removes a file, a link (not what it points to), or a directory with all it holds.
    ///
    /// Does nothing if nothing is there.
    ///
    /// - Throws: ``FileError`` of the first entry that cannot be removed.
    public func removeTree(_ path: String) throws(FileError) {
        guard let status = try statusIfPresent(of: path, followingLinks: false) else { return }
        guard status.isDirectory else { return try removeIfPresent(path) }
        for name in try names(inDirectory: path) { try removeTree(PathName.joining(path, name)) }
        do { try removeDirectory(path) } catch {
            if !error.isMissing { throw error }
        }
    }

    /// Removes a file or a link; does nothing if nothing is there.
    ///
    /// - Throws: ``FileError`` where something is there and stays.
    public func removeIfPresent(_ path: String) throws(FileError) {
        do { try unlink(path) } catch {
            if !error.isMissing { throw error }
        }
    }

    /// Returns the path that results from following symbolic links in the last component of `path`.
    ///
    /// The file need not exist.
    ///
    /// - Throws: ``FileError``: `ELOOP` after 40 links, or where a link cannot be read.
    public func resolvingLinks(_ path: String) throws(FileError) -> String {
        var path = path
        for _ in 0..<40 {
            guard let destination = try linkDestination(of: path) else { return path }
            path =
                destination.utf8.first == UInt8(ascii: "/")
                ? destination : PathName.joining(PathName.parent(of: path), destination)
        }
        throw FileError(.readLink, path: path, code: ELOOP)
    }
}
