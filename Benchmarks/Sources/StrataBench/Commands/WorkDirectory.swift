import Foundation

/// A directory of this run's own, removed at its end.
struct WorkDirectory {
    let url: URL

    /// Makes it inside `parent`, or among the temporary files.
    init(in parent: String?) throws {
        let base = parent.map { URL(fileURLWithPath: $0) } ?? FileManager.default.temporaryDirectory
        url = base.appendingPathComponent("strata-bench-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    func remove() { try? FileManager.default.removeItem(at: url) }
}
