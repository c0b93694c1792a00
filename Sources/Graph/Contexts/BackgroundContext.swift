import Dispatch
public import StrataCoordinator

/// A managed object context on a serial queue of its own, which any thread may send work to.
///
/// ```swift
/// let name = try await background.perform { context in
///     let person = try context.fetch(ObjectFetchRequest<Person>()).first
///     return person?.name
/// }
/// ```
/// The context and its objects exist inside the blocks only; values, IDs and other `Sendable` results come out. ``perform(_:)`` and
/// ``performAndWait(_:)`` run on the same queue, one block at a time.
// Unchecked: the context is touched on the queue only.
public final class BackgroundContext: @unchecked Sendable {
    private let queue: DispatchQueue
    private let context: ManagedObjectContext
    private static let key = DispatchSpecificKey<ObjectIdentifier>()

    /// A context over a coordinator.
    public init(_ coordinator: any Coordinator, name: String = "background context") {
        queue = DispatchQueue(label: name)
        context = ManagedObjectContext(coordinator, queue: queue)
        context.name = name
        queue.setSpecific(key: BackgroundContext.key, value: ObjectIdentifier(self))
    }

    /// Runs a block on the context's queue, after those sent before.
    ///
    /// - Throws: What the block throws.
    public func perform<T: Sendable>(_ block: @escaping @Sendable (ManagedObjectContext) throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try block(self.context) }) }
        }
    }

    /// Runs a block on the context's queue and waits for it; inside of another block of this context, right away.
    ///
    /// - Throws: What the block throws.
    public func performAndWait<T: Sendable>(_ block: (ManagedObjectContext) throws -> T) rethrows -> T {
        if DispatchQueue.getSpecific(key: BackgroundContext.key) == ObjectIdentifier(self) { return try block(context) }
        return try queue.sync { try block(context) }
    }
}
