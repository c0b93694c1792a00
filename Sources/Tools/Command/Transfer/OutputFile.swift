import Foundation
import StrataPlatform
import StrataStoreTool

/// A file that appears whole at its path when it is finished, and not at all otherwise.
final class OutputFile {
    private let path: String
    private let partialPath: String
    private let file: FileHandle
    private var pending = Data()
    private var isFinished = false

    /// Creates the file under another name beside its path.
    ///
    /// - Throws: `CommandFailure` where something is at the path and is not to be replaced, or the file cannot be made.
    init(_ path: String, replaces: Bool) throws {
        if !replaces, FileManager.default.fileExists(atPath: path) {
            throw CommandFailure(.exists, "there is something at \(path): --replace replaces it")
        }
        self.path = path
        partialPath = path + ".partial"
        guard FileManager.default.createFile(atPath: partialPath, contents: nil), let file = FileHandle(forWritingAtPath: partialPath)
        else {
            throw CommandFailure(.exists, "\(path) cannot be created")
        }
        self.file = file
    }

    deinit { if !isFinished { try? FileManager.default.removeItem(atPath: partialPath) } }

    /// Writes a line.
    func write(_ line: String) throws {
        pending.append(contentsOf: line.utf8)
        pending.append(UInt8(ascii: "\n"))
        if pending.count >= 1 << 16 { try writePending() }
    }

    /// Writes what is left, and gives the file its name.
    func finish() throws {
        try writePending()
        do {
            try file.synchronize()
            try file.close()
        } catch { throw failure(error) }
        guard rename(partialPath, path) == 0 else {
            throw CommandFailure(.io, "\(path) cannot be created: \(String(cString: strerror(errno)))")
        }
        isFinished = true
    }

    private func writePending() throws {
        do { try file.write(contentsOf: pending) } catch { throw failure(error) }
        pending.removeAll(keepingCapacity: true)
    }

    private func failure(_ error: any Error) -> CommandFailure { CommandFailure(.io, "\(path) cannot be written: \(error)") }
}
