import StrataGraph
import Synchronization

/// What happens to the unsaved changes of a container's contexts when it is shut down.
public enum UnsavedChanges: Sendable, Hashable {
    /// They are discarded; the report has their numbers.
    case discard
    /// They are saved; those that cannot be are discarded, and the report has the errors.
    case save
}

/// The result of shutting a container down.
public struct ShutdownReport: Sendable {
    /// A context with unsaved changes.
    public struct Context: Sendable {
        /// The name of the context.
        public let name: String
        /// The number of objects with changes.
        public let changedObjects: Int
        /// Whether the changes were saved.
        public let isSaved: Bool
        /// The error of saving them.
        public let error: (any Error)?
    }

    /// The contexts that had unsaved changes.
    public internal(set) var contexts: [Context] = []
    /// The error of the first store that could not be closed; it is closed all the same.
    public internal(set) var closingError: (any Error)?

    /// The contexts whose changes are lost.
    public var lost: [Context] { contexts.filter { !$0.isSaved } }
}

extension PersistentContainer {
    /// Ends the container's work in order: no block of `read` and `write` begins any more, those that run end, the unsaved changes of its
    /// contexts are saved or reported, and the stores are closed, which writes SQLite's log into its file.
    ///
    /// The contexts are the view context and those of ``newBackgroundContext()`` that are still alive. Others, and children, are the
    /// application's: save them before. Blocks of background contexts that were sent before run first. Where the calling task is cancelled, running
    /// blocks of `read` and `write` are not waited for. A second call waits for the end of the first one, and returns its report.
    ///
    /// - Returns: What was not saved.
    public func shutDown(_ changes: UnsavedChanges = .discard) async -> ShutdownReport {
        let task = access.shutdown.withLock { shutdown in
            let task = shutdown ?? Task { await self.end(changes) }
            shutdown = task
            return task
        }
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }

    private func end(_ changes: UnsavedChanges) async -> ShutdownReport {
        for semaphore in [access.reads, access.writes] { semaphore.close() }
        for semaphore in [access.reads, access.writes] { await semaphore.drain() }
        var report = ShutdownReport()
        for background in backgroundContexts.all {
            let ended = try? await background.perform(schedule: .enqueued) { ShutdownReport.Context($0, changes) }
            if let ended = ended ?? nil { report.contexts.append(ended) }
        }
        if let view = await shutDownViewContext(changes) { report.contexts.append(view) }
        do { try close() } catch { report.closingError = error }
        return report
    }

    @MainActor private func shutDownViewContext(_ changes: UnsavedChanges) -> ShutdownReport.Context? {
        madeViewContext.flatMap { ShutdownReport.Context($0, changes) }
    }
}

extension ShutdownReport.Context {
    /// Ends a context; `nil` for one without unsaved changes.
    fileprivate init?(_ context: ManagedObjectContext, _ changes: UnsavedChanges) {
        guard context.hasChanges else { return nil }
        let count = context.insertedObjects.count + context.updatedObjects.count + context.deletedObjects.count
        var failure: (any Error)?
        if changes == .save {
            do { try context.save() } catch { failure = error }
        }
        self.init(
            name: context.name ?? "", changedObjects: count, isSaved: changes == .save && failure == nil, error: failure)
    }
}

/// The background contexts of a container that are alive.
final class BackgroundContexts: Sendable {
    private final class Reference: Sendable {
        weak let context: BackgroundContext?
        init(_ context: BackgroundContext) { self.context = context }
    }

    /// The references, and their number from which on those of released contexts are looked for.
    private let state = Mutex<(references: [Reference], limit: Int)>(([], 64))

    var all: [BackgroundContext] { state.withLock { $0.references.compactMap(\.context) } }

    func add(_ context: BackgroundContext) {
        let reference = Reference(context)
        state.withLock { state in
            state.references.append(reference)
            if state.references.count < state.limit { return }
            state.references.removeAll { $0.context == nil }
            // Twice as many as are alive: a constant number of steps for each new one.
            state.limit = max(64, 2 * state.references.count)
        }
    }
}
