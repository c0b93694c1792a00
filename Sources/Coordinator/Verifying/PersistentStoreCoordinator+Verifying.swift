public import StrataStore

extension PersistentStoreCoordinator {
    /// Reads everything in a store and returns the problems found: in the file's structure, checksums and indexes, in
    /// unreadable values, in dangling references, and in the history.
    ///
    /// Blocks while it works, on any thread; others may read and save meanwhile, as it reads one state of the store.
    /// LMDB trusts the inside of its pages: verify an untrusted file of that kind in a process of its own.
    ///
    /// - Parameters:
    ///   - store: A store of the coordinator.
    ///   - limit: The greatest number of problems.
    /// - Returns: The problems; none in a sound store.
    /// - Throws: `StoreError` where the store cannot be read: the coordinator does not have it (`noStore`), it is
    ///   closed or locked, or the system fails to read it.
    /// - Complexity: O(n log n) time in the store; memory for the references of all objects.
    public func verify(_ store: any PersistentStore, limit: Int = 100) throws -> [StoreProblem] {
        let entry = try requireEntry(of: store, .verify)
        return try PersistentStoreCoordinator.verify(entry.store, model, entry.storedEntities, limit)
    }

    /// Verifies a store that need not be open, as ``verify(_:limit:)`` does.
    ///
    /// It is opened read-only: nothing in it changes, and an interrupted two-phase commit stays unfinished.
    ///
    /// - Parameters:
    ///   - description: The store and its driver.
    ///   - model: The model that the store was made with.
    ///   - limit: The greatest number of problems.
    /// - Returns: The problems, also where it is too damaged to be opened; none in a sound store.
    /// - Throws: `StoreError` where there is no such store, where it is of another kind or model, or cannot be read.
    public static func verifyStore(_ description: StoreDescription, model: ManagedObjectModel, limit: Int = 100) throws -> [StoreProblem] {
        var description = description
        description.isReadOnly = true
        return try StoreProblem.collect {
            let store = try openStore(description, model: model)
            defer { try? store.close() }
            let entities = try store.metadata().storedEntities(of: model, configuration: description.configuration)
            return try verify(store, model, Set(entities), limit)
        }
    }

    private static func verify(
        _ store: any StoreBackend, _ model: ManagedObjectModel, _ entities: Set<EntityIndex>, _ limit: Int
    ) throws -> [StoreProblem] {
        try StoreError.naming(.verify, path: store.path) {
            var problems = try StoreProblem.collect { try store.verify(limit: limit) }
            let left = limit - problems.count
            problems += try StoreProblem.collect { try store.historyProblems(limit: left) }
            var rows = RowVerification(model: model, entities: entities, limit: limit - problems.count)
            // A format that stores both ends of a link finds one end missing, as its rows show.
            return try problems
                + StoreProblem.collect {
                    try StoreReading.$continuesAfterDamage.withValue(true) { try store.read { try rows.run($0) } }
                }.filter { row in
                    !problems.contains { $0.kind == row.kind && $0.reference == row.reference && $0.key == row.key }
                }
        }
    }
}
