import StrataFiles

/// Reads files and directories up to a size limit.
enum FileReader {
    static func bytes(of path: String, limit: Int) throws(ModelFileError) -> [UInt8] {
        guard let status = status(of: path) else { throw ModelFileError(.unreadable, path: path, "there is no such file") }
        // Reading a pipe would block.
        guard status.kind == .regular else { throw ModelFileError(.unreadable, path: path, "not a regular file") }
        guard status.size <= limit else {
            throw ModelFileError(.limitExceeded, path: path, "the file has \(status.size) bytes; \(limit) are allowed")
        }
        do throws(FileError) { return try MappedFile.read(path) } catch {
            throw ModelFileError(.unreadable, path: path, "the file cannot be read: \(error)")
        }
    }

    static func isDirectory(_ path: String) -> Bool { status(of: path)?.isDirectory == true }

    static func exists(_ path: String) -> Bool { status(of: path) != nil }

    static func names(in path: String) throws(ModelFileError) -> [String] {
        do throws(FileError) { return try PosixFileSystem.shared.names(inDirectory: path) } catch {
            throw ModelFileError(.unreadable, path: path, "the directory cannot be read: \(error)")
        }
    }

    private static func status(of path: String) -> FileStatus? {
        try? PosixFileSystem.shared.status(of: path, followingLinks: true)
    }
}
