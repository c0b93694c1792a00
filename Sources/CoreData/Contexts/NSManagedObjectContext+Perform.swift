import StrataGraph

extension NSManagedObjectContext {
    /// Runs a block on the context's queue and waits for its result; within another block of the context, right away.
    ///
    /// - Throws: What the block throws.
    @discardableResult
    public func performAndWait<T>(_ block: () throws -> T) rethrows -> T {
        requireQueue()
        return try executor.sync { try run(block) }
    }

    /// Runs a block on the context's queue and gives its result.
    ///
    /// Values and IDs come out; managed objects are of use on the queue only.
    ///
    /// - Parameters:
    ///   - schedule: When the block runs that comes from the context's own queue: right away, or after those that were sent before.
    ///   - block: What is done.
    /// - Throws: What the block throws.
    @preconcurrency
    public func perform<T>(
        schedule: ScheduledTaskType = .immediate, _ block: @escaping @Sendable () throws -> T
    ) async rethrows -> T {
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
}

/// What a block gave, on its way to whoever waits for it.
// Unchecked: as on Apple's systems, it is for the caller to return nothing that belongs to the context's queue.
struct Outcome<T>: @unchecked Sendable {
    let result: Result<T, any Error>

    /// What the block gave; `rescue` throws what it threw, which the compiler takes for the block's own error only in this form.
    func get(of block: () throws -> T, rescue: (any Error) throws -> T) rethrows -> T {
        switch result {
        case .success(let value): value
        case .failure(let error): try rescue(error)
        }
    }
}
