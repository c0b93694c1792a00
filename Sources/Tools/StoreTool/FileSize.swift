import StrataFiles

/// The size of a store's files.
public enum FileSize {
    /// Returns the bytes of a store's file and of those beside it that belong to it.
    public static func ofStore(at path: String) -> Int64 {
        let external = PathName.joining(PathName.parent(of: path), ".\(PathName.stem(of: path))_SUPPORT")
        let files = [path, path + "-wal", path + "-shm"].reduce(0) { $0 + size(of: $1, followingLinks: true) }
        return files + size(of: external, followingLinks: false)
    }

    /// Returns the bytes of a file, or of all files in a directory.
    private static func size(of path: String, followingLinks: Bool) -> Int64 {
        let files = PosixFileSystem.shared
        guard let status = try? files.status(of: path, followingLinks: followingLinks) else { return 0 }
        switch status.kind {
        case .regular: return Int64(status.size)
        case .directory:
            let names = (try? files.names(inDirectory: path)) ?? []
            return names.reduce(0) { $0 + size(of: PathName.joining(path, $1), followingLinks: false) }
        case .symbolicLink, .other: return 0
        }
    }
}
