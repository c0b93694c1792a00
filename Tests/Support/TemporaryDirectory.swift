import FoundationEssentials

/// A new directory that is removed, with everything in it, when the value goes.
package final class TemporaryDirectory: Sendable {
    /// The path.
    package let path: String

    /// A new, empty directory.
    package init(_ name: String = "strata-test") throws {
        path = FileManager.default.temporaryDirectory.path + "/\(name)-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of a file in the directory.
    package func file(_ name: String) -> String { "\(path)/\(name)" }
}
