public import StrataStore

extension PersistentStoreCoordinator {
    /// Reads everything in a store and returns the problems found: in the file's structure, checksums and indexes, in
    /// unreadable, missing and equal values, in references and links and their orders, in the history, and, where there are none, in derived
    /// values.
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
        return try PersistentStoreCoordinator.verify(entry, model, limit)
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
            let entities = Set(try store.metadata().storedEntities(of: model, configuration: description.configuration))
            let entry = StoreEntry(
                store: store, description: description, extent: StoreEntry.Extent(entities: entities, storedEntities: entities),
                scopes: ObjectIDScopes(model: model, storeID: store.id), derivations: try? Derivations(ReferenceRules(model)))
            return try verify(entry, model, limit)
        }
    }

    private static func verify(_ entry: StoreEntry, _ model: ManagedObjectModel, _ limit: Int) throws -> [StoreProblem] {
        let store = entry.store
        return try StoreError.naming(.verify, path: store.path) {
            var problems = try StoreProblem.collect { try store.verify(limit: limit) }
            let left = limit - problems.count
            problems += try StoreProblem.collect { try store.historyProblems(limit: left) }
            let isForeign = (try? store.metadata().isForeign) ?? true
            var rows = RowVerification(
                model: model, entities: entry.storedEntities, isForeign: isForeign, limit: limit - problems.count)
            // What the store found is found again as its rows are read: one end of a link missing, a damaged row.
            problems += try StoreProblem.collect {
                try StoreReading.$continuesAfterDamage.withValue(true) { try store.read { try rows.run($0) } }
            }.filter { row in
                !problems.contains { known in
                    known.reference == row.reference && known.key == row.key && (known.kind == row.kind || known.message == row.message)
                }
            }
            if !problems.isEmpty { return problems }
            // Of what is unreadable nothing can be derived.
            return try StoreProblem.collect { try store.read { try entry.derivedValueProblems(model, $0, limit: limit) } }
        }
    }
}
