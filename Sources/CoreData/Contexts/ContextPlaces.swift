import Dispatch
import StrataGraph

/// The main queue, as the place of contexts.
struct MainPlace: ContextPlace {
    var isCurrent: Bool { MainQueue.isCurrent }

    func sync<T>(_ block: () throws -> T) rethrows -> T {
        if MainQueue.isCurrent { return try block() }
        return try DispatchQueue.main.sync(execute: block)
    }

    func async(_ block: @escaping @Sendable () -> Void) { DispatchQueue.main.async(execute: block) }
}

/// Wherever the one is who uses the context: the confinement of old.
struct OwnerPlace: ContextPlace {
    // Nobody knows: what others bring waits for the next event.
    var isCurrent: Bool { false }

    func sync<T>(_ block: () throws -> T) rethrows -> T { try block() }
    func async(_ block: @escaping @Sendable () -> Void) { DispatchQueue.main.async(execute: block) }
}
