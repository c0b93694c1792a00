import Foundation
import StrataStoreTool

/// The bytes of a file, or of the standard input where its path is `-`, read in blocks.
struct ByteSource {
    /// The path for messages.
    let path: String
    private let file: FileHandle
    private var block = Data()
    private var position = 0
    private var isAtEnd = false

    /// Opens a file.
    ///
    /// - Throws: `CommandFailure` where it cannot be opened or read.
    init(path: String) throws {
        self.path = path == "-" ? "standard input" : path
        do {
            file = path == "-" ? .standardInput : try FileHandle(forReadingFrom: URL(filePath: path))
        } catch {
            throw CommandFailure(FileManager.default.fileExists(atPath: path) ? .denied : .missing, "\(path) cannot be opened")
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
        if position == block.count, !isAtEnd {
            do {
                block = try file.read(upToCount: 1 << 16) ?? Data()
            } catch {
                throw CommandFailure(.io, "\(path) cannot be read: \(error)")
            }
            position = 0
            isAtEnd = block.isEmpty
        }
        return position < block.count ? block[block.startIndex + position] : nil
    }

    /// Returns the bytes to the end of the line, without that; `nil` at the end of the file.
    mutating func nextLine() throws -> [UInt8]? {
        guard try peek() != nil else { return nil }
        var line: [UInt8] = []
        while let byte = try next(), byte != UInt8(ascii: "\n") { line.append(byte) }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        return line
    }
}
