package import StrataCoordinator

/// A managed object context on a serial queue of its own, which any thread may send work to.
///
/// ```swift
/// let name = try await background.perform { context in
///     let person = try context.fetch(ObjectFetchRequest<Person>()).first
///     return person?.name
/// }
/// ```
/// The context and its objects exist inside the blocks only; values, IDs and other `Sendable` results come out. All
/// blocks run on one queue, one at a time; an asynchronous one lets others run where it waits.
// Unchecked: the context is touched on the queue only.
public final class BackgroundContext: @unchecked Sendable {
    /// When a block runs that is sent from the context's own queue.
    public enum Schedule: Sendable {
        /// Right away; sent from elsewhere, as if it were ``enqueued``.
        case immediate
        /// After the blocks that were sent before.
        case enqueued
    }

    let queue: ContextQueue
    private let context: ManagedObjectContext

    package init(_ coordinator: any Coordinator, name: String = "background context") {
        queue = ContextQueue(label: name)
        context = ManagedObjectContext(coordinator, on: .queue(queue))
        context.name = name
    }

    /// Creates a child of a background context; see ``ManagedObjectContext/init(parent:)-(ManagedObjectContext)``.
    ///
    /// Reads wait for the parent's queue, so the parent's blocks must not wait for this context, except by
    /// ``performAndWait(_:)``.
    public init(parent: BackgroundContext, name: String = "child context") {
        queue = ContextQueue(label: name)
        context = ManagedObjectContext(parent: .queue(parent), on: .queue(queue))
        context.name = name
    }

    /// Creates a child of a context of the main actor; see
    /// ``ManagedObjectContext/init(parent:)-(ManagedObjectContext)``.
    ///
    /// Reads wait for the main thread, so it must not wait for this context, unless it calls ``performAndWait(_:)`` and
    /// no block of this context runs or waits in the queue.
    @MainActor public init(parent: ManagedObjectContext, name: String = "child context") {
        queue = ContextQueue(label: name)
        context = ManagedObjectContext(parent: .mainActor(parent), on: .queue(queue))
        context.name = name
    }

    /// Runs a block on the context's queue, as part of the calling task: with its local values and its cancellation.
    ///
    /// - Throws: What the block throws.
    @discardableResult
    public func perform<T: Sendable>(
        schedule: Schedule = .immediate, _ block: @escaping @Sendable (ManagedObjectContext) throws -> T
    ) async throws -> T {
        if schedule == .immediate && queue.isCurrent { return try block(context) }
        return try await withTaskExecutorPreference(queue, isolation: nil) {
            defer { self.context.endEvent() }
            return try block(self.context)
        }
    }

    /// Runs an asynchronous block on the context's queue, as part of the calling task; while it waits, other blocks
    /// run.
    ///
    /// - Throws: What the block throws.
    @discardableResult
    public func perform<T: Sendable>(
        schedule: Schedule = .immediate, _ block: @escaping @Sendable (ManagedObjectContext) async throws -> T
    ) async throws -> T {
        if schedule == .immediate && queue.isCurrent { return try await block(context) }
        return try await withTaskExecutorPreference(queue, isolation: nil) {
            defer { self.context.endEvent() }
            return try await block(self.context)
        }
    }

    /// Runs a block on the context's queue and waits for it; inside of another block of this context, right away.
    ///
    /// - Throws: What the block throws.
    @discardableResult
    public func performAndWait<T: Sendable>(_ block: (ManagedObjectContext) throws -> T) rethrows -> T {
        if queue.isCurrent { return try block(context) }
        return try queue.sync {
            defer { context.endEvent() }
            return try block(context)
        }
    }
}
