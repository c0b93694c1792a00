import Foundation
import StrataCrashWorker

/// A directory for the stores of a ledger, in memory where the system offers that.
final class LedgerDirectory: Sendable {
    let mode: CrashMode
    let path: String
    /// What the worker is told beside the mode: `checksums` gives SQLite's pages theirs, `relaxed` is the durability, and a version that of
    /// the model.
    private let options: [String]

    /// An empty one.
    init(_ mode: CrashMode, options: [String] = []) throws {
        self.mode = mode
        self.options = options
        path = LedgerDirectory.newPath()
        for directory in mode.directories(in: path) {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        }
    }

    /// A copy of another one.
    init(copying other: LedgerDirectory, options: [String]? = nil) throws {
        mode = other.mode
        self.options = options ?? other.options
        path = LedgerDirectory.newPath()
        try FileManager.default.copyItem(atPath: other.path, toPath: path)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
        try? FileManager.default.removeItem(atPath: backup)
    }

    /// Where an earlier state of it may lie.
    var backup: String { path + ".backup" }

    /// The arguments that tell a worker of it.
    func arguments(order: Int = 0, _ rest: String...) -> [String] {
        [([mode.rawValue] + options).joined(separator: "+"), path, "\(order)"] + rest
    }

    /// The paths of all files, relative to the directory.
    func files() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: path).filter { name in
            var isDirectory: ObjCBool = false
            return FileManager.default.fileExists(atPath: "\(path)/\(name)", isDirectory: &isDirectory) && !isDirectory.boolValue
        }.sorted()
    }

    func content(of name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)"))) }

    func write(_ bytes: [UInt8], to name: String) throws {
        let file = URL(fileURLWithPath: "\(path)/\(name)")
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: file)
    }

    private static func newPath() -> String { "\(root)/strata-ledger-\(UUID().uuidString)" }

    /// Synchronizing costs nothing in memory; what is tested does not depend on the disk.
    private static let root: String = {
        let memory = "/dev/shm"
        let path = FileManager.default.isWritableFile(atPath: memory) ? memory : FileManager.default.temporaryDirectory.path
        return URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    }()
}
