import StrataStore

extension StoreEntry {
    /// Computes all derived values of the store where a migration requires it, or the derivations changed; once, and as
    /// a whole.
    ///
    /// Values of Core Data's stores are kept: its own triggers maintain them. So are times, as no object is saved here.
    ///
    /// - Throws: `StoreError`; nothing is changed then.
    /// - Complexity: O(n) in the objects of entities with derived attributes; memory for a batch.
    func refreshDerivations(_ model: ManagedObjectModel) throws {
        let wanted = model.derivations
        func isStale(_ metadata: StoreMetadata) -> Bool { !metadata.isForeign && metadata.derivations != wanted }
        guard try isStale(store.metadata()) else { return }
        let transaction = try store.beginWrite()
        try transaction.orRollback {
            // Another process may have been faster.
            var metadata = try transaction.metadata()
            guard isStale(metadata) else { return transaction.rollback() }
            if let derivations { try refresh(derivations, model, transaction) }
            metadata.derivations = wanted
            try transaction.commit(metadata)
        }
    }

    private func refresh(_ derivations: Derivations, _ model: ManagedObjectModel, _ transaction: any StoreTransaction) throws {
        let expressions = derivations.all.map { RowExpression($0.expression) }
        for (index, derived) in derivations.all.enumerated()
        where !derived.isTimestamp && holds(anyOf: derived.entity.hierarchy) {
            let objects = try transaction.read { try $0.answer(FetchPlan(derived.entity, .references)).requireReferences() }
            for some in objects.slices(of: StoreEntry.derivationBatch) {
                let updates = try transaction.read { reader in
                    var pass = DerivationPass(derivations, expressions, self, [], reader)
                    let rows = try reader.rows(root: derived.entity.root, references: some.map(\.reference))
                    return try pass.recompute(index, try model.checked(rows, .open))
                }
                try put(updates, in: transaction, .open, derived)
            }
        }
    }

    private static let derivationBatch = 2048

    /// Applies changes of derived values only, which conflict with no other version; throws `StoreError` with
    /// `constraint` where they violate a uniqueness constraint.
    func put(
        _ updates: [RowUpdate], in transaction: any StoreTransaction, _ operation: StoreError.Operation,
        _ derived: DerivedExpression? = nil
    ) throws {
        if updates.isEmpty { return }
        let conflicts = try transaction.apply(ChangeSet(updated: updates))
        guard conflicts.isEmpty else {
            throw StoreError(
                .constraint, operation, "duplicate key: derived values violate a uniqueness constraint", path: store.path,
                entity: derived?.entity.name, key: derived?.attribute.name, conflicts: conflicts)
        }
    }
}
