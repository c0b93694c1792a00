import CrashWorker
import Foundation

/// A directory for the stores of a ledger, in memory where the system offers that.
final class LedgerDirectory: Sendable {
    let mode: CrashMode
    let path: String

    /// An empty one.
    init(_ mode: CrashMode) throws {
        self.mode = mode
        path = LedgerDirectory.newPath()
        for directory in mode.directories(in: path) {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        }
    }

    /// A copy of another one.
    init(copying other: LedgerDirectory) throws {
        mode = other.mode
        path = LedgerDirectory.newPath()
        try FileManager.default.copyItem(atPath: other.path, toPath: path)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The arguments that tell a worker of it.
    func arguments(order: Int = 0, _ rest: String...) -> [String] { [mode.rawValue, path, "\(order)"] + rest }

    private static func newPath() -> String { "\(root)/strata-ledger-\(UUID().uuidString)" }

    /// Synchronizing costs nothing in memory; what is tested does not depend on the disk.
    private static let root: String = {
        let memory = "/dev/shm"
        let place = FileManager.default.isWritableFile(atPath: memory) ? memory : FileManager.default.temporaryDirectory.path
        return URL(fileURLWithPath: place).resolvingSymlinksInPath().path
    }()
}
