import CLMDB
import StrataFiles
import StrataStore

/// Reads the two pages that an LMDB file begins with, before LMDB itself maps the file and trusts it.
///
/// LMDB does not check lengths: reading past the end of a cut file is a bus error. Never run it on a file that this process has open:
/// closing a descriptor gives the process's locks on the file up.
enum MetaPages {
    private static let magic: UInt32 = 0xBEEF_C0DE
    private static let dataVersion: UInt32 = 1
    private static let pageHeaderSize = 16
    private static let metaSize = 136
    private static let metaFlag: UInt16 = 0x08

    private struct Meta {
        let pageSize: Int
        let lastPage: UInt64
        let transaction: UInt64
        let roots: [UInt64]
    }

    /// Checks a file that is not empty.
    ///
    /// - Throws: ``StoreError`` with `foreign`, `wrongType`, `unsupportedVersion` or `corrupt`.
    static func check(_ path: String) throws {
        let file = try PosixFileSystem.shared.open(path, .read)
        guard try file.status().kind == .regular else { throw StoreError(.foreign, "open", "not a file", path: path) }
        let first = try read(file, at: 0)
        try recognise(first, path)
        let meta = try parse(first, path)
        let second = try parse(try read(file, at: meta.pageSize), path)
        // After the heads, for another process may be writing: the file grows first.
        let status = try file.status()
        guard second.pageSize == meta.pageSize else { throw damaged("its two heads differ in page size", path) }
        let newest = second.transaction > meta.transaction ? second : meta
        let (pages, overflow) = newest.lastPage.addingReportingOverflow(1)
        let (end, overflow2) = pages.multipliedReportingOverflow(by: UInt64(newest.pageSize))
        guard !overflow, !overflow2, end <= UInt64(status.size) else {
            throw damaged("it has \(status.size) bytes, and pages up to number \(newest.lastPage)", path)
        }
        for root in newest.roots where root != .max && (root > newest.lastPage || root < 2) {
            throw damaged("a tree begins outside of it", path)
        }
    }

    private static func read(_ file: any OpenFile, at offset: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: pageHeaderSize + metaSize)
        let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: offset) }
        return Array(bytes[..<count])
    }

    /// Tells other files from damaged ones.
    private static func recognise(_ bytes: [UInt8], _ path: String) throws {
        let kinds: [(String, String)] = [("SQLite format 3\0", "SQLite"), ("<?xml", "XML"), ("bplist", "a property list")]
        for (start, kind) in kinds where bytes.starts(with: start.utf8) {
            throw StoreError(.wrongType, "open", "the file is no LMDB store but \(kind)", path: path)
        }
        guard bytes.count >= pageHeaderSize + 4 else {
            throw StoreError(.foreign, "open", "the file is no LMDB store: it has \(bytes.count) bytes", path: path)
        }
        guard word(bytes, pageHeaderSize) == magic else {
            throw StoreError(.foreign, "open", "the file is no LMDB store", path: path)
        }
    }

    private static func parse(_ bytes: [UInt8], _ path: String) throws -> Meta {
        guard bytes.count == pageHeaderSize + metaSize else { throw damaged("it ends within its head", path) }
        let start = pageHeaderSize
        let flags = UInt16(bytes[10]) | UInt16(bytes[11]) << 8
        guard flags & metaFlag != 0, word(bytes, start) == magic else { throw damaged("its head is damaged", path) }
        let version = word(bytes, start + 4)
        guard version == dataVersion else {
            throw StoreError(.unsupportedVersion, "open", "the file is of LMDB's format \(version)", path: path)
        }
        let pageSize = Int(word(bytes, start + 24))
        guard (256...65536).contains(pageSize), pageSize & (pageSize - 1) == 0 else { throw damaged("its page size is \(pageSize)", path) }
        return Meta(
            pageSize: pageSize,
            lastPage: long(bytes, start + 120),
            transaction: long(bytes, start + 128),
            roots: [long(bytes, start + 24 + 40), long(bytes, start + 72 + 40)]
        )
    }

    private static func word(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
        bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
    }

    private static func long(_ bytes: [UInt8], _ offset: Int) -> UInt64 {
        bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self) }
    }

    private static func damaged(_ what: String, _ path: String) -> StoreError {
        StoreError(.corrupt, "open", "the file is damaged: \(what)", path: path)
    }
}
