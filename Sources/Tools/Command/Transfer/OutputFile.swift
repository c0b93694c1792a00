import StrataFiles
import StrataPlatform
import StrataStoreTool

/// A file that appears whole at its path when it is finished, and not at all otherwise; a device or a pipe is written as it comes.
// Unchecked: but for the path of the unfinished file, which does not change, one thread uses it.
final class OutputFile: @unchecked Sendable {
    private let path: String
    /// The path of the unfinished file; `nil` for a device, a pipe and the standard output.
    private let partialPath: String?
    private var sink: ByteSink
    private var isFinished = false

    /// Creates the file under another name beside its path, `-` for the standard output.
    ///
    /// - Parameter replaces: Whether a file at the path is replaced; `nil` where the command never replaces one.
    /// - Throws: `CommandFailure` where something is at the path and is not to be replaced, or is a store or a directory, or the file cannot
    ///   be made.
    init(_ path: String, replaces: Bool?) throws {
        self.path = path
        if path == "-" {
            partialPath = nil
            sink = ByteSink(path: "standard output", descriptor: dup(STDOUT_FILENO))
            return
        }
        switch try? PosixFileSystem.shared.status(of: path).kind {
        case nil: break
        case .regular?:
            guard replaces == true else {
                throw CommandFailure(.exists, "there is something at \(path)\(replaces == nil ? "" : ": --replace replaces it")")
            }
            try OutputFile.refuseStore(at: path)
        case .directory?: throw CommandFailure(.exists, "\(path) is a directory")
        default:
            let descriptor = open(path, O_WRONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw CommandFailure(.exists, "\(FileError(.open, path: path, code: errno))") }
            partialPath = nil
            sink = ByteSink(path: path, descriptor: descriptor)
            return
        }
        let partialPath = path + ".partial"
        let descriptor = open(partialPath, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw CommandFailure(.exists, "\(FileError(.open, path: path, code: errno))") }
        self.partialPath = partialPath
        sink = ByteSink(path: path, descriptor: descriptor)
    }

    deinit {
        close(sink.descriptor)
        if !isFinished, let partialPath { unlink(partialPath) }
    }

    /// Removes the unfinished file, where an interrupt ends the process; from any thread.
    func removePartial() {
        if let partialPath { unlink(partialPath) }
    }

    /// Writes a line with its end.
    func write(_ line: [UInt8]) throws { try sink.write(line) }

    /// Writes what is left, and gives the file its name.
    func finish() throws {
        try sink.flush()
        guard let partialPath else { return }
        guard fsync(sink.descriptor) == 0 else { throw failure(.synchronize) }
        guard rename(partialPath, path) == 0 else { throw failure(.rename) }
        isFinished = true
    }

    private func failure(_ operation: FileOperation) -> CommandFailure {
        CommandFailure(.io, "\(FileError(operation, path: path, code: errno))")
    }

    /// Refuses a file that is a store, or belongs to one.
    private static func refuseStore(at path: String) throws {
        let companions = ["-wal", "-shm", "-journal", "-lock"].filter(path.hasSuffix).map { String(path.dropLast($0.count)) }
        for store in [path] + companions where (try? StoreKind(ofStoreAt: store)) != nil {
            throw CommandFailure(.exists, "\(path) is a file of a store, which is not replaced")
        }
    }
}
