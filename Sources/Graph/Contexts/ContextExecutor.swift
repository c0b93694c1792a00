import Dispatch
import StrataModel

/// The queue or actor of a context: it detects wrong use, and runs work that other threads schedule for the context.
enum ContextExecutor {
    /// The thread of the context's creator, which nothing can be scheduled on.
    case owner
    case queue(ContextQueue)
    case dispatchQueue(DispatchQueue)
    case mainActor
    /// An executor of the caller, which checks its use itself.
    case external(any ExternalExecutor)
    case actor(Reference)

    /// A weak reference to an actor, which may own the context.
    final class Reference: Sendable {
        weak let actor: (any Actor)?
        init(_ actor: any Actor) { self.actor = actor }
    }

    /// Creates the queue that the application named, or else the actor that the context was created on.
    init(_ queue: DispatchQueue?, _ actor: (any Actor)?) {
        if let queue {
            self = .dispatchQueue(queue)
        } else if let actor {
            self = actor === MainActor.shared ? .mainActor : .actor(Reference(actor))
        } else {
            self = .owner
        }
    }

    var isMainActor: Bool { if case .mainActor = self { true } else { false } }

    /// Traps where the caller does not run on the executor.
    func check(_ context: ManagedObjectContext) {
        func message() -> String { "\(context.name ?? "a managed object context") is used outside of its queue or actor" }
        switch self {
        case .owner, .external: break
        case .queue(let queue): if !queue.isCurrent { programmerError(message()) }
        case .dispatchQueue(let queue): dispatchPrecondition(condition: .onQueue(queue))
        case .mainActor: if !MainQueue.isCurrent { programmerError(message()) }
        case .actor(let reference): reference.actor?.preconditionIsolated(message())
        }
    }

    /// Whether scheduled blocks run after the caller's work; an external executor may use a context concurrently.
    var isCurrent: Bool { if case .external(let executor) = self { executor.isCurrent } else { true } }

    /// Runs a block asynchronously; false where the executor is unknown or deallocated, and the block will not run.
    func schedule(_ block: @escaping @Sendable () -> Void) -> Bool {
        switch self {
        case .owner: return false
        case .queue(let queue): queue.async(block)
        case .external(let executor): executor.async(block)
        case .dispatchQueue(let queue): queue.async(execute: block)
        case .mainActor: Task { @MainActor in block() }
        case .actor(let reference):
            guard let actor = reference.actor else { return false }
            Task { await ContextExecutor.run(block, on: actor) }
        }
        return true
    }

    private static func run(_ block: () -> Void, on actor: isolated any Actor) { block() }
}
