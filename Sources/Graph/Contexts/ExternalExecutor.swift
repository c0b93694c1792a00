/// The executor of a context that manages its thread itself: the graph does not check that the context is used there.
package protocol ExternalExecutor: Sendable {
    /// Whether the caller runs on the executor.
    var isCurrent: Bool { get }
    /// Runs a block on the executor and waits for it; directly where the caller is on the executor.
    func sync<T>(_ block: () throws -> T) rethrows -> T
    func async(_ block: @escaping @Sendable () -> Void)
}
