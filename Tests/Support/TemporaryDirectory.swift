import FoundationEssentials
import StrataPlatform
import Synchronization

/// A new directory that is removed, with everything in it, when the value goes.
package final class TemporaryDirectory: Sendable {
    /// The path.
    package let path: String

    /// A new, empty directory.
    package init(_ name: String = "strata-test") throws {
        path = FileManager.default.temporaryDirectory.path + "/\(name)-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    /// A new, empty directory that goes when the process exits.
    package static func ofProcess(_ name: String) throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory(name)
        directoriesOfProcess.withLock { directories in
            if directories.isEmpty { atexit { TemporaryDirectory.removeThoseOfProcess() } }
            directories.append(directory)
        }
        return directory
    }

    private static let directoriesOfProcess = Mutex<[TemporaryDirectory]>([])

    private static func removeThoseOfProcess() {
        for directory in directoriesOfProcess.withLock({ $0 }) { try? FileManager.default.removeItem(atPath: directory.path) }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of a file in the directory.
    package func file(_ name: String) -> String { "\(path)/\(name)" }
}
