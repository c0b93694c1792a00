import StrataFiles
import StrataPlatform
import StrataStore

/// The state of the files that a store's commits write, by which the next backup recognizes that nothing was written.
///
/// It has the inode, length and time of each file, and the checksum of its beginning, where stores count their commits.
/// What is written later has a later time: see `RecoveryFiles.isSettled(_:)`.
enum WrittenState {
    private static let headByteCount = 8192

    /// Returns the state of a store's files; `nil` where it is not known, or might stay the same when they are written
    /// again immediately.
    static func of(_ store: any StoreBackend) -> String? {
        guard store.path != nil, let paths = (store as? any SharedStore)?.writtenPaths, !paths.isEmpty else { return nil }
        var parts: [String] = []
        for (index, path) in paths.enumerated() {
            guard let part = try? state(ofFile: path, isLog: index > 0) else { return nil }
            parts.append(part)
        }
        return parts.joined(separator: " ")
    }

    private static func state(ofFile path: String, isLog: Bool) throws -> String? {
        let files = RecoveryFiles.fileSystem
        // A log without content is removed or left as it is.
        guard let status = try files.statusIfPresent(of: path), status.size > 0 else { return "-" }
        // No program can set the time of a change of the status; SQLite, run by root, makes one when it opens its log.
        let time = isLog ? status.modified : status.changed
        guard status.kind == .regular, time != 0, RecoveryFiles.isSettled(time) else { return nil }
        let head = CRC32C.checksum(of: try files.beginning(of: path, count: headByteCount))
        return "\(status.inode)-\(status.size)-\(time)-\(head)"
    }
}
