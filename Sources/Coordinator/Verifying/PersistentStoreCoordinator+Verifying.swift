public import StrataModel
public import StrataStore

extension PersistentStoreCoordinator {
    /// Reads everything in a store and looks for what is wrong: in the file's structure, checksums and indexes, in values that cannot be
    /// read, and in relationships that lead nowhere.
    ///
    /// Blocks while it works, on any thread; others go on reading and saving meanwhile, and what it looks at is one state of the store. LMDB
    /// trusts the inside of its pages: look at a file of that kind that you do not trust in a process of its own.
    ///
    /// - Parameters:
    ///   - store: A store of the coordinator.
    ///   - limit: How many problems are enough: it stops there.
    /// - Returns: The problems; none in a sound store.
    /// - Throws: `StoreError` where the store cannot be looked at: the coordinator does not have it (`noStore`), it is closed or locked, or the
    ///   system fails to read it.
    /// - Complexity: O(n log n) time in the store; memory for the references of all objects.
    public func verify(_ store: any PersistentStore, limit: Int = 100) throws -> [StoreProblem] {
        let entry = try requireEntry(of: store, .verify)
        return try PersistentStoreCoordinator.verify(store, model, entry.entities, limit)
    }

    /// Looks through a store that no coordinator needs to have open, as ``verify(_:limit:)`` does.
    ///
    /// It is opened for reading only: nothing in it changes, and a save over several stores that was interrupted stays unfinished.
    ///
    /// - Parameters:
    ///   - description: Where the store is, and the driver that opens it.
    ///   - model: The model that the store was made with.
    ///   - limit: How many problems are enough.
    /// - Returns: The problems, that it is too damaged to be opened among them; none in a sound store.
    /// - Throws: `StoreError` where there is no such store, where it is of another kind or model, or cannot be looked at.
    public static func verifyStore(_ description: StoreDescription, model: ManagedObjectModel, limit: Int = 100) throws -> [StoreProblem] {
        var description = description
        description.isReadOnly = true
        let entities = model.entities(inConfiguration: description.configuration) ?? []
        return try StoreProblem.collect {
            let store = try description.driver.open(description, model: model)
            defer { try? store.close() }
            return try verify(store, model, Set(entities), limit)
        }
    }

    private static func verify(
        _ store: any PersistentStore, _ model: ManagedObjectModel, _ entities: Set<EntityIndex>, _ limit: Int
    ) throws -> [StoreProblem] {
        try StoreError.naming(.verify, path: store.path) {
            let problems = try StoreProblem.collect { try store.verify(limit: limit) }
            var rows = RowVerification(model: model, entities: entities, limit: limit - problems.count)
            return try problems + StoreProblem.collect { try store.read { try rows.run($0) } }
        }
    }
}
