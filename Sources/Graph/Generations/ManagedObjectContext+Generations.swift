public import StrataCoordinator
import StrataStore

extension ManagedObjectContext {
    /// The state of the stores that this context reads; `nil`, the default, where it reads what they hold.
    ///
    /// It is `QueryGenerationToken.current` until the first read, and from then on the state of that moment. A child has
    /// that of its parent.
    public var queryGenerationToken: QueryGenerationToken? {
        if let parent { return parent.queryGenerationToken }
        return (source as? PinnedCoordinator)?.token
    }

    /// Pins this context to a state of the stores: whatever others save, fetches, counts, faults and relationships are of that state.
    ///
    /// Objects that are here stay as they are; what was changed meanwhile is a conflict when they are saved, as ever. ``save()``, ``reset()``,
    /// ``refreshAllObjects()`` and merging what others saved work upon what the stores hold by then, also where a save fails, and pin the context
    /// anew, to what it reads first afterwards. What would come by itself, from batch requests and because of
    /// ``automaticallyMergesChangesFromParent``, waits until then. Stores that were added later are not read; one that can hold no state is
    /// read as it is.
    ///
    /// A pinned generation takes disk space in its stores: see the guide to contexts.
    ///
    /// - Parameter token: `current` for what the stores hold at the next read; the token of another context of the coordinator for what that
    ///   one sees; `nil` for no state at all.
    /// - Throws: `StoreError` with `unsupported` for a child, which reads what its parent does, a coordinator without stores of its own, and a
    ///   token of another coordinator.
    public func setQueryGenerationFrom(_ token: QueryGenerationToken?) throws {
        assertQueue()
        func refuse(_ message: String) -> StoreError { StoreError(.unsupported, .fetch, message) }
        if parent != nil { throw refuse("a child reads the generation of its parent") }
        if let token {
            guard let coordinator = coordinator as? PersistentStoreCoordinator else {
                throw refuse("the context's coordinator holds no generations")
            }
            if let generation = token.generation, !generation.isOf(coordinator) { throw refuse("the generation is of another coordinator") }
        }
        pin(token)
    }

    /// Whether what this context reads may be what the stores held a moment ago; false by default.
    ///
    /// A store with replicas then reads from one of these. What was saved through the context's coordinator is read all the same, and so
    /// are saves of others that it was notified of. Saves, with all that they read, and merges read from the primary. A pinned context
    /// reads the state that it is pinned to. A child reads as its parent does; setting it there does nothing.
    public var readsFromReplicas: Bool {
        get { parent?.readsFromReplicas ?? options.readsFromReplicas }
        set {
            assertQueue()
            guard parent == nil, newValue != options.readsFromReplicas else { return }
            options.readsFromReplicas = newValue
            if !(source is PinnedCoordinator) { loader.source = unpinnedSource }
        }
    }

    /// What the context reads through where it is not pinned.
    private var unpinnedSource: any Coordinator {
        guard options.readsFromReplicas, let coordinator = coordinator as? PersistentStoreCoordinator else { return coordinator }
        return ReplicaCoordinator(coordinator)
    }

    private func pin(_ token: QueryGenerationToken?) {
        let isPinned = source is PinnedCoordinator
        if token == nil && !isPinned { return }
        if let token, let coordinator = coordinator as? PersistentStoreCoordinator {
            loader.source = PinnedCoordinator(coordinator, token)
        } else {
            loader.source = unpinnedSource
        }
        // What came along with fetches is of another state.
        loader.forgetRows()
    }

    /// Runs `body`, which reads what the stores hold, also where the context is pinned, anew afterwards, or reads from replicas.
    func readingLatest<T>(_ body: () throws -> T) rethrows -> T {
        guard let usual = source as? any ReadingCoordinator else { return try body() }
        let isPinned = usual is PinnedCoordinator
        loader.source = usual.base
        if isPinned { loader.forgetRows() }
        defer {
            // Unless the context was pinned meanwhile.
            if source === usual.base { if isPinned { pin(.current) } else { loader.source = unpinnedSource } }
        }
        return try body()
    }

    /// Whether the context reads a state that others' changes have no place in.
    var readsHeldGeneration: Bool { (source as? PinnedCoordinator)?.isHeld ?? false }
}
