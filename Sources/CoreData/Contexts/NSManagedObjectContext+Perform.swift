import Dispatch
import StrataGraph

extension NSManagedObjectContext {
    /// Runs a block on the context's queue and waits for its result; within another block of the context, immediately.
    ///
    /// - Throws: The block's error.
    @discardableResult
    public func performAndWait<T>(_ block: () throws -> T) rethrows -> T {
        requireQueue()
        return try executor.sync { try run(block) }
    }

    /// Runs a block on the context's queue and returns its result.
    ///
    /// Return values and IDs; managed objects are usable on the queue only.
    ///
    /// - Parameters:
    ///   - schedule: When the block runs on the context's own queue: immediately, or after earlier blocks.
    ///   - block: The block.
    /// - Throws: The block's error.
    @preconcurrency
    public func perform<T>(schedule: ScheduledTaskType = .immediate, _ block: @escaping @Sendable () throws -> T) async rethrows -> T {
        requireQueue()
        let outcome: Outcome<T> = await withCheckedContinuation { continuation in
            let run: @Sendable () -> Void = {
                let outcome = Outcome(result: Result { try self.run(block) })
                self.endEvent()
                continuation.resume(returning: outcome)
            }
            if schedule == .immediate && executor.isCurrent { run() } else { executor.async(run) }
        }
        return try outcome.get(of: block) { throw $0 }
    }

    private static let currentKey = "StrataCurrentManagedObjectContext"

    /// The context whose block this thread runs, the innermost of nested ones.
    static private(set) var current: NSManagedObjectContext? {
        get { (Thread.current.threadDictionary[currentKey] as? WeakBox<AnyObject>).flatMap { NSManagedObjectContext.of($0) } }
        set { Thread.current.threadDictionary[currentKey] = newValue?.weakReference }
    }

    final func run<T>(_ block: () throws -> T) rethrows -> T {
        let before = NSManagedObjectContext.current
        NSManagedObjectContext.current = self
        defer {
            NSManagedObjectContext.current = before
            if before !== self { readState.latestObjects = [] }
        }
        return try block()
    }
}

/// The result of a block, sent to the caller that waits for it.
// Unchecked: as on Apple's systems, the caller must not return objects that belong to the context's queue.
struct Outcome<T>: @unchecked Sendable {
    let result: Result<T, any Error>

    /// Returns the block's result; `rescue` throws its error, as the compiler requires for `rethrows`.
    func get(of block: () throws -> T, rescue: (any Error) throws -> T) rethrows -> T {
        switch result {
        case .success(let value): value
        case .failure(let error): try rescue(error)
        }
    }
}

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
