public import Dispatch
public import StrataCoordinator

extension ManagedObjectContext {
    /// The coordinator of the stores that the context fetches from and saves to.
    public var persistentStoreCoordinator: PersistentStoreCoordinator? { coordinator as? PersistentStoreCoordinator }

    /// Creates a context that belongs to its creator.
    ///
    /// In debug builds it traps when it is used off its queue, or off its actor where it has no queue.
    ///
    /// - Parameters:
    ///   - coordinator: The coordinator over its stores.
    ///   - queue: The queue that it is used on, where it is one queue.
    ///   - isolation: The actor that it is used on: the caller's by default; `nil` for a context that is passed on.
    public convenience init(_ coordinator: PersistentStoreCoordinator, queue: DispatchQueue? = nil, isolation: (any Actor)? = #isolation) {
        self.init(coordinator as any Coordinator, queue: queue, isolation: isolation)
    }
}

extension BackgroundContext {
    /// Creates a context over a coordinator.
    public convenience init(_ coordinator: PersistentStoreCoordinator, name: String = "background context") {
        self.init(coordinator as any Coordinator, name: name)
    }
}
