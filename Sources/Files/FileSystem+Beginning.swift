extension FileSystem {
    /// Up to `count` of the first bytes of a file of which nothing is known yet.
    ///
    /// Leaves the locks of code that has the file open in this process, also where it is a database of code that registers nothing with
    /// ``OpenDatabases``.
    ///
    /// - Throws: ``FileError`` where the file cannot be opened or read.
    public func beginning(of path: String, count: Int) throws(FileError) -> [UInt8] {
        let file = try open(path, .read)
        let bytes = try file.bytes(count: count)
        if bytes.starts(with: "SQLite format 3\0".utf8) { (file as? PosixFile)?.noteDatabase() }
        try file.close()
        return bytes
    }
}
