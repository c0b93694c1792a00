import Logging
public import Strata
import StrataCoordinator
import Synchronization

extension PersistentContainer {
    /// Returns what a block read from the stores: a line for each fetch, and for each round trip for faults and relationships.
    ///
    /// ```swift
    /// #expect(try container.fetches { _ = try report.lines() } == ["fetch Book"])
    /// ```
    /// What other tasks read meanwhile is among them: a test has a container of its own. The coordinator's logger is put back afterwards.
    ///
    /// - Throws: What the block throws.
    public func fetches(during block: () throws -> Void) rethrows -> [String] {
        let recorder = FetchRecorder(coordinator)
        defer { recorder.stop() }
        try block()
        return recorder.lines
    }

    /// Returns what an asynchronous block read from the stores, as ``fetches(during:)-(()->Void)``.
    ///
    /// - Throws: What the block throws.
    public func fetches(
        isolation: isolated (any Actor)? = #isolation, during block: () async throws -> Void
    ) async rethrows -> [String] {
        let recorder = FetchRecorder(coordinator)
        defer { recorder.stop() }
        try await block()
        return recorder.lines
    }
}

/// Records the reads that a coordinator logs.
private final class FetchRecorder: Sendable {
    private struct Handler: LogHandler {
        let recorder: FetchRecorder
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let text = event.message.description
            // Warnings repeat what the lines before them say; saves and batch requests are no reads.
            guard event.level < .warning, !text.hasPrefix("save "), !text.hasPrefix("batch ") else { return }
            recorder.recorded.withLock { $0.append(text) }
        }
    }

    private let recorded = Mutex<[String]>([])
    private let coordinator: PersistentStoreCoordinator
    private let previous: Logger?

    init(_ coordinator: PersistentStoreCoordinator) {
        self.coordinator = coordinator
        previous = coordinator.logger
        coordinator.logger = Logger(label: "strata.testing") { _ in Handler(recorder: self) }
    }

    var lines: [String] { recorded.withLock { $0 } }

    func stop() { coordinator.logger = previous }
}
