extension FileSystem {
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
}
