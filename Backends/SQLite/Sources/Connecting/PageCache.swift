import CStrataSQLite
import StrataSQL

/// A connection's page cache, which has the size of the file, within limits.
///
/// SQLite allocates the memory as pages are read. With a cache smaller than the pages of a table and its indexes that a
/// save touches, pages are read and written several times: 50,000 updates in a file of 45 MB wrote 87,000 pages through
/// 2 MB, and 11,000 through 32 MB.
struct PageCache {
    /// Its size in kibibytes; nil before it is set.
    fileprivate var kibibytes: Int?
    /// Whether the application sets the size.
    var isOfApplication = false
    /// The size of a page in bytes; nil before it is queried.
    fileprivate var pageSize: Int?

    /// The minimum size, which is SQLite's default, and the maximum sizes for a reader and for the writer, in kibibytes.
    static let (least, greatestOfReader, greatestOfWriter) = (2_000, 8_000, 32_000)

    /// Returns the size for a file in kibibytes: the least power of two, from the minimum on, that holds the file.
    ///
    /// It changes rarely while the file grows.
    static func kibibytes(forFileOf bytes: Int, isWriting: Bool) -> Int {
        let greatest = isWriting ? greatestOfWriter : greatestOfReader
        var size = least
        while size < greatest && size * 1024 < bytes { size *= 2 }
        return min(size, greatest)
    }
}

extension Connection {
    /// Sets the size of the page cache, unless the application sets one.
    ///
    /// - Returns: Whether the size changed.
    @discardableResult
    func setCache(kibibytes: Int) throws -> Bool {
        if cache.kibibytes == kibibytes || cache.isOfApplication { return false }
        // Pragmas take no parameters.
        try prepare(["PRAGMA cache_size = -", String(kibibytes)].joined()).run(.open)
        cache.kibibytes = kibibytes
        return true
    }

    /// The size of a page in bytes, queried once, after the first read.
    var pageSize: Int {
        if let known = cache.pageSize { return known }
        let size = Int((try? integer("PRAGMA page_size", .open)) ?? 4096)
        cache.pageSize = size
        return size
    }

    /// The size of the file in bytes; 0 for one whose status cannot be read.
    var fileSize: Int { (try? PosixFileSystem.shared.status(of: path).size) ?? 0 }
}

extension SQLiteStore {
    /// Adapts the page caches to the database, which may have grown; the caller holds the write lock.
    func fitCaches(_ writer: Connection) throws {
        // The commits since the last checkpoint are in the log only.
        let bytes = max(watch?.size ?? writer.fileSize, Int(writer.logState()?.pages ?? 0) * writer.pageSize)
        guard try writer.setCache(kibibytes: PageCache.kibibytes(forFileOf: bytes, isWriting: true)) else { return }
        pool.setCache(kibibytes: PageCache.kibibytes(forFileOf: bytes, isWriting: false))
    }
}
