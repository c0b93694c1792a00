import Dispatch
import StrataGraph

/// The main queue as an executor of contexts.
struct MainExecutor: ExternalExecutor {
    var isCurrent: Bool { MainQueue.isCurrent }

    func sync<T>(_ block: () throws -> T) rethrows -> T {
        if MainQueue.isCurrent { return try block() }
        return try DispatchQueue.main.sync(execute: block)
    }

    func async(_ block: @escaping @Sendable () -> Void) { DispatchQueue.main.async(execute: block) }
}

/// The thread of the context's user: Core Data's confinement type.
struct ConfinementExecutor: ExternalExecutor {
    // The thread is unknown: remote changes wait for the next event.
    var isCurrent: Bool { false }

    func sync<T>(_ block: () throws -> T) rethrows -> T { try block() }
    func async(_ block: @escaping @Sendable () -> Void) { DispatchQueue.main.async(execute: block) }
}
