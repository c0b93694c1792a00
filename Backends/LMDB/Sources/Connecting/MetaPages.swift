import StrataEngine
import StrataPlatform

/// Reads the two meta pages of an LMDB file before LMDB maps the file and trusts it.
///
/// LMDB does not check lengths: reading past the end of a truncated file is a bus error. Never run it on a file that
/// this process has open: closing a descriptor would release LMDB's locks.
enum MetaPages {
    enum Finding {
        /// A file that LMDB can map.
        case sound
        /// An empty file, or one whose creation by LMDB a power loss interrupted: nothing was ever saved to it.
        case unfilled
    }

    private static let magic: UInt32 = 0xBEEF_C0DE
    private static let dataVersion: UInt32 = 1
    private static let pageHeaderSize = 16
    private static let metaSize = 136
    private static let metaFlag: UInt16 = 0x08

    private struct Meta {
        let pageSize: Int
        let mapSize: UInt64
        let lastPage: UInt64
        let transaction: UInt64
        let roots: [UInt64]
        /// Whether the file has no transaction yet.
        var isVirgin: Bool { transaction == 0 && roots == [.max, .max] }

        /// Returns the end of the last page of a file of some size in bytes.
        func end(_ size: Int, _ path: String) throws -> UInt64 {
            let (pages, overflow) = lastPage.addingReportingOverflow(1)
            let (end, overflow2) = pages.multipliedReportingOverflow(by: UInt64(pageSize))
            // No transaction uses a page beyond the map.
            if overflow || overflow2 || end > max(mapSize, UInt64(size)) { throw damaged("its head counts too many pages", path) }
            return end
        }
    }

    /// The size of the map of a file, in bytes.
    struct MapSize {
        /// The size of the largest map of a process that wrote to the file.
        let wanted: Int
        /// The end of the last page.
        let needed: Int
    }

    /// Reads the sizes of the map of an open file from its newest head.
    ///
    /// - Parameter descriptor: LMDB's own descriptor, which stays open.
    /// - Throws: `StoreError` with `corrupt` or `unsupportedVersion` for what is no head of LMDB's.
    static func mapSize(of descriptor: Int32, _ path: String) throws -> MapSize {
        let newest = try heads(of: descriptor, path).newest
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw LMDBStatus(code: errno, call: "fstat") }
        let end = try newest.end(Int(status.st_size), path)
        return MapSize(wanted: Int(clamping: newest.mapSize), needed: Int(clamping: end))
    }

    /// Returns the first damage of the pages that a snapshot of an open file uses; `nil` if there is none.
    ///
    /// Call it within the transaction, which keeps these pages. Reads all of them.
    static func firstDamage(of descriptor: Int32, transaction: Int, _ path: String) throws -> String? {
        let heads = try heads(of: descriptor, path)
        // Two saves have replaced the head since the transaction began.
        guard let head = [heads.newest, heads.older].first(where: { Int(clamping: $0.transaction) == transaction }) else { return nil }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw LMDBStatus(code: errno, call: "fstat") }
        let pages = PageTraversal(pageSize: head.pageSize, size: Int(status.st_size)) {
            try read(descriptor, at: $0, count: head.pageSize)
        }
        return try pages.firstDamage(below: head.roots)
    }

    private static func heads(of descriptor: Int32, _ path: String) throws -> (newest: Meta, older: Meta) {
        func head(at offset: Int) throws -> [UInt8] { try read(descriptor, at: offset, count: pageHeaderSize + metaSize) }
        return try heads(try head(at: 0), path, head)
    }

    /// Returns the two heads, the first of which was read.
    private static func heads(_ first: [UInt8], _ path: String, _ read: (Int) throws -> [UInt8]) throws -> (newest: Meta, older: Meta) {
        let first = try parse(first, path)
        let second = try parse(try read(first.pageSize), path)
        guard second.pageSize == first.pageSize else { throw damaged("its two heads differ in page size", path) }
        return second.transaction > first.transaction ? (second, first) : (first, second)
    }

    private static func read(_ descriptor: Int32, at offset: Int, count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = unsafe bytes.withUnsafeMutableBytes { unsafe pread(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
        guard read >= 0 else { throw LMDBStatus(code: errno, call: "pread") }
        return Array(bytes.prefix(read))
    }

    /// Checks the file at a path.
    ///
    /// Reads a page or two; all pages in use if the file is shorter than its head says.
    ///
    /// - Throws: `StoreError` with `foreign`, `wrongType`, `unsupportedVersion` or `corrupt`.
    static func check(_ path: String) throws -> Finding {
        let file = try PosixFileSystem.shared.open(path, .read)
        let before = try file.status()
        try before.requireRegularFile(.open, path: path)
        if before.size == 0 { return .unfilled }
        if try isUnfilled(file, before.size, path) { return .unfilled }
        let first = try read(file, at: 0)
        let kind = FileKind(beginning: try file.bytes(count: FileKind.headSize))
        guard kind == .lmdb else { throw kind.refusal(.open, path: path) }
        let newest = try heads(first, path, { try read(file, at: $0) }).newest
        // After the heads, since another process may be writing: the file grows first.
        let status = try file.status()
        for root in newest.roots where root != .max && (root > newest.lastPage || root < 2) {
            throw damaged("a tree begins outside of it", path)
        }
        let end = try newest.end(status.size, path)
        // LMDB counts unwritten pages at the end that a transaction allocated and freed: those in use matter. It writes whole pages:
        // a part of one is what a crash left, or bytes were added or removed before it.
        if end > UInt64(status.size) || status.size % newest.pageSize != 0 {
            let pages = PageTraversal(pageSize: newest.pageSize, size: status.size) {
                try file.bytes(at: $0, count: newest.pageSize)
            }
            if let damage = try pages.firstDamage(below: newest.roots) {
                throw damaged("it has \(status.size) bytes, its head counts \(newest.lastPage + 1) pages, and \(damage)", path)
            }
        }
        return .sound
    }

    /// Returns whether a power loss left the file with two incomplete heads: without a transaction, or zeros.
    private static func isUnfilled(_ file: any OpenFile, _ size: Int, _ path: String) throws -> Bool {
        let usual = Int(sysconf(Int32(_SC_PAGESIZE)))
        guard size % usual == 0, size / usual <= 2 else { return false }
        var pages: [Meta?] = []
        for offset in stride(from: 0, to: size, by: usual) {
            let bytes = try file.bytes(at: offset, count: usual)
            if bytes.allSatisfy({ $0 == 0 }) {
                pages.append(nil)
            } else if let meta = try? parse(Array(bytes.prefix(pageHeaderSize + metaSize)), path), meta.isVirgin, meta.pageSize == usual {
                pages.append(meta)
            } else {
                return false
            }
        }
        // Two valid heads are an empty file of LMDB's; zeros alone are one only with a lock file.
        let heads = pages.compactMap { $0 }.count
        return heads == 1 || heads == 0 && PosixFileSystem.shared.exists(ReaderTable.path(beside: path))
    }

    private static func read(_ file: any OpenFile, at offset: Int) throws(FileError) -> [UInt8] {
        try file.bytes(at: offset, count: pageHeaderSize + metaSize)
    }

    private static func parse(_ bytes: [UInt8], _ path: String) throws -> Meta {
        guard bytes.count == pageHeaderSize + metaSize else { throw damaged("it is truncated within its head", path) }
        let start = pageHeaderSize
        guard bytes.number(at: 10) & metaFlag != 0, bytes.number(at: start) == magic else { throw damaged("its head is damaged", path) }
        let version: UInt32 = bytes.number(at: start + 4)
        guard version == dataVersion else {
            throw StoreError(.unsupportedVersion, .open, "the file is of LMDB's format \(version)", path: path)
        }
        let pageSize = Int(bytes.number(at: start + 24) as UInt32)
        guard (256...65536).contains(pageSize), pageSize & (pageSize - 1) == 0 else { throw damaged("its page size is \(pageSize)", path) }
        return Meta(
            pageSize: pageSize, mapSize: bytes.number(at: start + 16), lastPage: bytes.number(at: start + 120),
            transaction: bytes.number(at: start + 128), roots: [bytes.number(at: start + 24 + 40), bytes.number(at: start + 72 + 40)])
    }

    private static func damaged(_ what: String, _ path: String) -> StoreError {
        StoreError(.corrupt, .open, "the file is damaged: \(what)", path: path)
    }
}
