import StrataEngine
import StrataFiles
import StrataStore

/// A file, read from front to back, with the checksum that it may end with.
final class FileInput {
    private let file: any OpenFile
    private var buffer: [UInt8] = []
    private var next = 0
    private var offset = 0
    private var checksum = CRC32C()
    /// Where the part of the file ends that the checksum covers, and the checksum; `nil` when the file has none.
    private let expected: (end: Int, checksum: UInt32)?
    /// The first bytes of the file.
    let beginning: [UInt8]
    /// Why the file could not be read.
    private(set) var failure: FileError?

    /// Opens a file.
    ///
    /// Throws `FileError`.
    init(_ path: String, _ fileSystem: any FileSystem) throws(FileError) {
        file = try fileSystem.open(path, .read)
        let size = try file.status().size
        let tailStart = max(0, size - 128)
        beginning = try file.bytes(count: FileKind.headSize)
        expected = ChecksumComment.find(in: try file.bytes(at: tailStart, count: 128)).map {
            (tailStart + $0.offset, $0.checksum)
        }
    }

    /// Copies the next bytes.
    ///
    /// - Returns: How many; 0 at the end of the file, -1 when it cannot be read.
    func read(into target: UnsafeMutableRawPointer, count: Int) -> Int {
        if next == buffer.count, !fill() { return -1 }
        let available = min(count, buffer.count - next)
        unsafe buffer.withUnsafeBytes { bytes in
            if let base = bytes.baseAddress, available > 0 { unsafe target.copyMemory(from: base + next, byteCount: available) }
        }
        next += available
        return available
    }

    /// Reads the rest of the file and answers whether it is as it was written; true also where it carries no checksum.
    func isIntact() -> Bool {
        guard let expected else { return true }
        while offset < expected.end, fill(), !buffer.isEmpty {}
        return offset >= expected.end && checksum.value == expected.checksum
    }

    /// Where the comment with the checksum begins, `nil` when there is none.
    var checksumOffset: Int? { expected?.end }

    /// Calls `body` with the rest of the file, block by block, and each block's offset.
    func forEachBlock(_ body: (Int, UnsafeRawBufferPointer) throws -> Void) throws {
        while fill(), !buffer.isEmpty { try unsafe buffer.withUnsafeBytes { try unsafe body(offset - $0.count, $0) } }
        if let failure { throw failure }
    }

    private func fill() -> Bool {
        do { buffer = try file.bytes(at: offset, count: 128 << 10) } catch {
            failure = error
            return false
        }
        next = 0
        if let expected, offset < expected.end {
            unsafe buffer.withUnsafeBytes {
                unsafe checksum.update(with: UnsafeRawBufferPointer(rebasing: $0[..<min($0.count, expected.end - offset)]))
            }
        }
        offset += buffer.count
        return true
    }
}

/// The comment before the last tag that holds the checksum of all before it.
enum ChecksumComment {
    private static let opening = Array("<!-- crc32c ".utf8)
    private static let closing = Array(" -->\n</database>".utf8)

    /// The end of the file, from the comment on.
    static func text(_ checksum: UInt32) -> [UInt8] {
        let hex = String(checksum, radix: 16)
        return opening + Array(repeating: UInt8(ascii: "0"), count: 8 - hex.utf8.count) + Array(hex.utf8) + closing
    }

    /// The comment in the last bytes of a file, with the offset of its beginning.
    static func find(in tail: [UInt8]) -> (offset: Int, checksum: UInt32)? {
        var end = tail.count
        while end > 0, [9, 10, 13, 32].contains(tail[end - 1]) { end -= 1 }
        let start = end - closing.count - 8 - opening.count
        guard start >= 0, tail[start..<(start + opening.count)].elementsEqual(opening),
            tail[(end - closing.count)..<end].elementsEqual(closing)
        else { return nil }
        var checksum: UInt32 = 0
        for byte in tail[(start + opening.count)..<(end - closing.count)] {
            guard let digit = HexadecimalDigit.value(byte) else { return nil }
            checksum = checksum << 4 | UInt32(digit)
        }
        return (start, checksum)
    }
}
