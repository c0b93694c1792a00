import Dispatch
import StrataModel

/// Where the work of a context is done: what tells wrong use, and what brings the context work that comes from elsewhere.
enum ContextHome {
    /// Wherever the one is who made the context.
    case owner
    /// The queue of a background context.
    case queue(ContextQueue)
    /// A queue that the application made.
    case dispatchQueue(DispatchQueue)
    case mainActor
    /// Wherever others see to it that the context is used.
    case place(any ContextPlace)
    case actor(Reference)

    /// Does not keep an actor alive, which may have the context.
    final class Reference: Sendable {
        weak let actor: (any Actor)?
        init(_ actor: any Actor) { self.actor = actor }
    }

    /// The queue that an application named, or else the actor that it was on.
    init(_ queue: DispatchQueue?, _ actor: (any Actor)?) {
        if let queue {
            self = .dispatchQueue(queue)
        } else if let actor {
            self = actor === MainActor.shared ? .mainActor : .actor(Reference(actor))
        } else {
            self = .owner
        }
    }

    /// Traps where the context is used elsewhere.
    func check(_ name: String?) {
        func message() -> String { "\(name ?? "a managed object context") is used outside of its queue or actor" }
        switch self {
        case .owner, .place: break
        case .queue(let queue): if !queue.isCurrent { programmerError(message()) }
        case .dispatchQueue(let queue): dispatchPrecondition(condition: .onQueue(queue))
        case .mainActor: if !MainQueue.isCurrent { programmerError(message()) }
        case .actor(let reference): reference.actor?.preconditionIsolated(message())
        }
    }

    /// Whether a block that is scheduled runs after what is done here, and not beside it: not where a context is used elsewhere than where it belongs, which
    /// who sees to its place may allow.
    var isHere: Bool { if case .place(let place) = self { place.isCurrent } else { true } }

    /// Has a block run where the context's work is done, some time soon.
    ///
    /// - Returns: Whether it will: not where nobody knows where that is.
    func schedule(_ block: @escaping @Sendable () -> Void) -> Bool {
        switch self {
        case .owner: return false
        case .queue(let queue): queue.async(block)
        case .place(let place): place.async(block)
        case .dispatchQueue(let queue): queue.async(execute: block)
        case .mainActor: Task { @MainActor in block() }
        case .actor(let reference):
            guard let actor = reference.actor else { return false }
            Task { await ContextHome.run(block, on: actor) }
        }
        return true
    }

    private static func run(_ block: () -> Void, on actor: isolated any Actor) { block() }
}
