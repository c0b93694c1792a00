/// The executor of a context that manages its thread itself: the graph does not check that the context is used there.
package protocol ExternalExecutor: Sendable {
    /// Whether the caller runs on the executor.
    var isCurrent: Bool { get }
    /// Runs a block on the executor and waits for it; directly where the caller is on the executor.
    func sync<T>(_ block: () throws -> T) rethrows -> T
    func async(_ block: @escaping @Sendable () -> Void)
}

/// Returns the executor of a context with a serial queue of its own, on which tasks run, too.
package func makeContextQueue(label: String) -> any ExternalExecutor & TaskExecutor { ContextQueue(label: label) }
