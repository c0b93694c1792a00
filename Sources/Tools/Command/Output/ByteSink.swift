import StrataFiles
import StrataPlatform
import StrataStoreTool

/// Bytes on their way to an open file, written in blocks.
struct ByteSink {
    private static let blockSize = 1 << 16

    /// The path for messages.
    let path: String
    let descriptor: Int32
    private var pending: [UInt8] = []

    init(path: String, descriptor: Int32) {
        self.path = path
        self.descriptor = descriptor
    }

    /// Appends bytes, and writes whole blocks.
    ///
    /// - Throws: `CommandFailure` where they cannot be written.
    mutating func write(_ bytes: some Collection<UInt8>) throws {
        pending.append(contentsOf: bytes)
        if pending.count >= ByteSink.blockSize { try flush() }
    }

    /// Writes what is left.
    ///
    /// - Throws: `CommandFailure` where it cannot be written.
    mutating func flush() throws {
        defer { pending.removeAll(keepingCapacity: true) }
        var offset = 0
        while offset < pending.count {
            let count = pending[offset...].withUnsafeBytes { StrataPlatform.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EPIPE { throw CommandFailure(.brokenPipe, ExitStatus.brokenPipe.meaning) }
            guard count >= 0 else { throw CommandFailure(.io, "\(FileError(.write, path: path, code: errno))") }
            offset += count
        }
    }
}
