import StrataFiles
import StrataPlatform
import StrataStoreTool

/// The bytes of a file, or of the standard input where its path is `-`, read in blocks.
struct ByteSource {
    private static let blockSize = 1 << 16

    /// The path for messages.
    let path: String
    private let descriptor: Int32
    private var block: [UInt8] = []
    private var position = 0
    private var isAtEnd = false

    /// Opens a file.
    ///
    /// - Throws: `CommandFailure` where it cannot be opened or read.
    init(path: String) throws {
        self.path = path == "-" ? "standard input" : path
        // The process ends after it has read one.
        descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0 {
            let error = FileError(.open, path: path, code: errno)
            throw CommandFailure(error.isMissing ? .missing : error.isDenied ? .denied : .io, "\(error)")
        }
        _ = try peek()
        if block.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    }

    /// Returns the next byte; `nil` at the end.
    mutating func next() throws -> UInt8? {
        guard let byte = try peek() else { return nil }
        position += 1
        return byte
    }

    /// Returns the next byte without passing it; `nil` at the end.
    mutating func peek() throws -> UInt8? {
        if position == block.count, !isAtEnd { try fill() }
        return position < block.count ? block[position] : nil
    }

    /// Passes the bytes before one that ends them, and that one.
    ///
    /// - Returns: The bytes without that one, which is `nil` at the end of a block: they may continue in the next one. No bytes without an
    ///   end are the end of the file.
    mutating func run(to isEnd: (UInt8) -> Bool) throws -> (ArraySlice<UInt8>, UInt8?) {
        guard try peek() != nil else { return ([], nil) }
        let rest = block[position...]
        guard let end = rest.firstIndex(where: isEnd) else {
            position = block.count
            return (rest, nil)
        }
        position = end + 1
        return (rest[..<end], block[end])
    }

    /// Calls a block with the bytes that are read already, and passes as many as it returns.
    mutating func pass<T>(_ body: (UnsafeBufferPointer<UInt8>) -> (T, Int)) -> T {
        let (result, count) = block.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[position...])) }
        position += count
        return result
    }

    /// Returns the bytes to the end of the line, without that; `nil` at the end of the file.
    mutating func nextLine() throws -> [UInt8]? {
        guard try peek() != nil else { return nil }
        var line: [UInt8] = []
        while true {
            let (run, end) = try run { $0 == UInt8(ascii: "\n") }
            line.append(contentsOf: run)
            if end != nil || run.isEmpty { break }
        }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        return line
    }

    private mutating func fill() throws {
        var code: Int32 = 0
        block = Array(unsafeUninitializedCapacity: ByteSource.blockSize) { buffer, count in
            var read = StrataPlatform.read(descriptor, buffer.baseAddress, buffer.count)
            while read < 0, errno == EINTR, ImportInterrupt.status == nil {
                read = StrataPlatform.read(descriptor, buffer.baseAddress, buffer.count)
            }
            count = max(0, read)
            if read < 0 { code = errno }
        }
        if code == EINTR { throw ImportInterrupt.Read() }
        if code != 0 { throw CommandFailure(.io, "\(FileError(.read, path: path, code: code))") }
        position = 0
        isAtEnd = block.isEmpty
    }
}
