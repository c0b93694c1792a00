public import StrataCoordinator
import StrataStore

extension ManagedObjectContext {
    /// The state of the stores that this context reads; `nil`, the default, where it reads what they hold.
    ///
    /// It is `QueryGenerationToken.current` until the first read, and from then on the state of that moment. A child
    /// has that of its parent.
    public var queryGenerationToken: QueryGenerationToken? {
        if let parent { return parent.queryGenerationToken }
        return source.pinnedGeneration
    }

    /// Pins this context to a state of the stores for all fetches, counts, faults and relationships.
    ///
    /// Registered objects stay as they are; what was changed meanwhile is a conflict when they are saved. ``save()``,
    /// ``reset()``, ``refreshAllObjects()`` and merges use the stores' current state, also where a save fails, and pin
    /// the context anew, to the state of the next read. Automatic merges, from batch requests and by
    /// ``automaticallyMergesChangesFromParent``, wait until then. Stores that were added later are not read; one that
    /// can hold no state is read as it is.
    ///
    /// A pinned generation takes disk space in its stores: see the guide to contexts.
    ///
    /// - Parameter token: `current` for the state of the next read; the token of another context of the coordinator for
    ///   its state; `nil` for none.
    /// - Throws: `StoreError` with `unsupported` for a child, which reads what its parent does, a coordinator without
    ///   stores of its own, and a token of another coordinator.
    public func setQueryGenerationFrom(_ token: QueryGenerationToken?) throws {
        assertQueue()
        func refuse(_ message: String) -> StoreError { StoreError(.unsupported, .fetch, message) }
        if parent != nil { throw refuse("a child reads the generation of its parent") }
        guard let token else { return unpin() }
        guard let coordinator = coordinator as? PersistentStoreCoordinator
        else { throw refuse("the context's coordinator holds no generations") }
        guard let pinned = coordinator.pinned(to: token) else { throw refuse("the generation is of another coordinator") }
        read(pinned)
    }

    /// Pins this context to the state that the stores had at a token of their histories: fetches, counts, faults, relationships and groups
    /// answer what was saved then.
    ///
    /// ```swift
    /// description.options.history = .keeping(days: 30, keepsValues: true)
    /// …
    /// let audit = container.newBackgroundContext()
    /// try audit.setQueryGeneration(asOf: transaction.token)
    /// let before = try audit.fetch(request)
    /// ```
    /// A store that the token lacks is read as it was before all transactions of its history, or as it is, if it has none. The context is
    /// pinned as by ``setQueryGenerationFrom(_:)``, and ``queryGenerationToken`` pins others to the same state. What is changed in it
    /// conflicts when it is saved, where it was saved since, and the merge policy decides; afterwards the context reads the current state.
    ///
    /// - Complexity: O(n) in the changes after the token, once; they stay in memory. A fetch also reads all objects of its entity whose own
    ///   attributes meet the condition, or all objects of the entity, where the condition follows relationships.
    /// - Throws: `StoreError` with `historyTokenExpired` where transactions after the token were deleted, made without values
    ///   (``/StrataStore/HistoryPolicy/keepsValues``) or by another program, or are migrations, and where the token is later than the history;
    ///   `noStore` where none of its stores is open; `unsupported` for a child, a coordinator without stores of its own, and stores that have
    ///   no history or cannot hold a state; `corrupt` for a damaged transaction. The context stays as it was.
    public func setQueryGeneration(asOf token: HistoryToken) throws {
        assertQueue()
        guard parent == nil, let coordinator = coordinator as? PersistentStoreCoordinator else {
            return try setQueryGenerationFrom(.current)
        }
        try setQueryGenerationFrom(coordinator.generation(asOf: token))
    }

    /// Whether this context may read a state of the stores that lags behind; false by default.
    ///
    /// A store with replicas then reads from one of these, but never less than what was saved through the context's
    /// coordinator, and saves that it was notified of. Saves, with all that they read, and merges read from the
    /// primary. A pinned context reads its pinned state. A child reads as its parent does; setting it there does
    /// nothing.
    public var readsFromReplicas: Bool {
        get { parent?.readsFromReplicas ?? options.readsFromReplicas }
        set {
            assertQueue()
            guard parent == nil, newValue != options.readsFromReplicas else { return }
            options.readsFromReplicas = newValue
            if !isPinned { loader.source = unpinnedSource }
        }
    }

    private var unpinnedSource: any Coordinator {
        guard options.readsFromReplicas, let coordinator = coordinator as? PersistentStoreCoordinator else { return coordinator }
        return coordinator.readingFromReplicas()
    }

    private var isPinned: Bool { source.pinnedGeneration != nil }

    private func unpin() { if isPinned { read(unpinnedSource) } }

    private func read(_ other: any Coordinator) {
        loader.source = other
        // What was prefetched is of another state.
        loader.forgetRows()
    }

    /// Runs `body` with the stores' latest state, also in a context that is pinned or reads from replicas.
    func readingLatest<T>(_ body: () throws -> T) rethrows -> T {
        guard parent == nil, source !== coordinator else { return try body() }
        let isPinned = isPinned
        loader.source = coordinator
        if isPinned { loader.forgetRows() }
        defer {
            // Unless the context was pinned meanwhile.
            if source === coordinator {
                if isPinned, let pinned = (coordinator as? PersistentStoreCoordinator)?.pinned(to: .current) {
                    read(pinned)
                } else {
                    loader.source = unpinnedSource
                }
            }
        }
        return try body()
    }

    /// Whether the context reads a state that is held, which changes of other contexts are no part of.
    var readsHeldGeneration: Bool { source.pinnedGeneration?.isHeld ?? false }
}
