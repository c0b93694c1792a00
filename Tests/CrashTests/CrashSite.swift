import Foundation
import Strata
import StrataCrashWorker
import StrataTestSupport
import Testing

/// A directory with the stores of a mode, for one test.
final class CrashSite {
    let mode: CrashMode
    let directory: String

    /// An empty one.
    init(_ mode: CrashMode) throws {
        self.mode = mode
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("strata-crash-\(mode)-\(UUID().uuidString)").path
        for path in mode.directories(in: directory) {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
    }

    /// A copy of another one.
    init(copying site: CrashSite) throws {
        mode = site.mode
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("strata-crash-\(mode)-\(UUID().uuidString)").path
        try FileManager.default.copyItem(atPath: site.directory, toPath: directory)
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    /// Opens the stores, and has them report their steps to `step`.
    func withContext<T>(
        order: Int = 0,
        step: (@Sendable (String) throws -> Void)? = nil,
        _ body: (ManagedObjectContext) throws -> T
    ) throws -> T {
        let coordinator = PersistentStoreCoordinator(model: try CrashModel.model.get())
        defer { for store in coordinator.stores { try? coordinator.remove(store) } }
        for var description in mode.descriptions(in: directory, order: order) {
            if let step { description.driver = WatchedDriver(description.driver, step: step) }
            try coordinator.addStore(description)
        }
        return try body(ManagedObjectContext(coordinator))
    }

    /// Opens the stores and checks everything in them, and that nothing is left behind beside them.
    ///
    /// - Returns: The generation found.
    func verifiedGeneration(order: Int = 0) throws -> Int {
        let generation = try withContext(order: order) { try GraphReader($0).verifiedGeneration() }
        let leftovers = try leftovers()
        guard leftovers.isEmpty else { throw Violation("left behind: \(leftovers)") }
        return generation
    }

    /// Saves generations up to the given one.
    func save(upTo last: Int) throws {
        try withContext { context in
            let first = try GraphReader(context).generation() + 1
            for generation in first...max(first, last) { try GraphWriter(context).save(generation: generation) }
        }
    }

    /// The names of temporary and pending files.
    func leftovers() throws -> [String] {
        try mode.directories(in: directory).flatMap { try FileManager.default.contentsOfDirectory(atPath: $0) }
            .filter { name in ["tmp", "record", "pending", "confirmed", "decided", "aborted"].contains { name.hasSuffix(".\($0)") } }
    }
}
