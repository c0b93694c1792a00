import StrataEngine

/// A file, read from front to back, with its optional checksum.
final class FileInput {
    private let file: any OpenFile
    private var buffer: [UInt8] = []
    private var next = 0
    private var offset = 0
    private var checksum = CRC32C()
    /// The end of the part with the checksum, and the checksum; `nil` if the file has none.
    private let expected: (end: Int, checksum: UInt32)?
    let beginning: [UInt8]
    private(set) var failure: FileError?

    init(_ path: String, _ fileSystem: any FileSystem) throws(FileError) {
        file = try fileSystem.open(path, .read)
        let size = try file.status().size
        let tailStart = max(0, size - 128)
        beginning = try file.bytes(count: FileKind.headSize)
        expected = ChecksumComment.find(in: try file.bytes(at: tailStart, count: 128)).map { (tailStart + $0.offset, $0.checksum) }
    }

    /// Copies the next bytes, and returns their number; 0 at the end of the file, -1 on an error.
    func read(into target: UnsafeMutableRawPointer, count: Int) -> Int {
        if next == buffer.count, !fill() { return -1 }
        let available = min(count, buffer.count - next)
        unsafe buffer.withUnsafeBytes { bytes in
            if let base = bytes.baseAddress, available > 0 { unsafe target.copyMemory(from: base + next, byteCount: available) }
        }
        next += available
        return available
    }

    /// Reads the rest of the file and returns whether its checksum is right; true also without checksum.
    func isIntact() -> Bool {
        guard let expected else { return true }
        while offset < expected.end, fill(), !buffer.isEmpty {}
        return offset >= expected.end && checksum.value == expected.checksum
    }

    /// The offset of the comment with the checksum, `nil` if there is none.
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

/// The comment before the last tag with the checksum of all bytes before it.
enum ChecksumComment {
    private static let opening = Array("<!-- crc32c ".utf8)
    private static let closing = Array(" -->\n</database>".utf8)

    /// Returns the end of the file, from the comment on.
    static func text(_ checksum: UInt32) -> [UInt8] {
        let hex = String(checksum, radix: 16)
        return opening + Array(repeating: UInt8(ascii: "0"), count: 8 - hex.utf8.count) + Array(hex.utf8) + closing
    }

    /// Returns the comment in the last bytes of a file, with its offset.
    static func find(in tail: [UInt8]) -> (offset: Int, checksum: UInt32)? {
        var end = tail.count
        while end > 0, [9, 10, 13, 32].contains(tail[end - 1]) { end -= 1 }
        let start = end - closing.count - 8 - opening.count
        guard start >= 0, tail[start..<(start + opening.count)].elementsEqual(opening),
            tail[(end - closing.count)..<end].elementsEqual(closing)
        else { return nil }
        var checksum: UInt32 = 0
        for byte in tail[(start + opening.count)..<(end - closing.count)] {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
            checksum = checksum << 4 | UInt32(digit)
        }
        return (start, checksum)
    }
}
