import StrataEvaluation
import StrataModel
import StrataStore

/// Computes the derived values of a whole store, where they may be those of another version of the model.
struct DerivationRefresh {
    private let entry: StoreEntry
    private let derivations: Derivations
    private var model: ManagedObjectModel { derivations.rules.model }

    init(_ entry: StoreEntry, _ derivations: Derivations) {
        self.entry = entry
        self.derivations = derivations
    }

    /// Does it where a migration left it to be done, or the model that the store keeps derives other values; once, and as a whole.
    ///
    /// What Core Data wrote is taken as it is: its own triggers see to it.
    ///
    /// - Throws: `StoreError`; nothing is changed then.
    /// - Complexity: O(n) in the objects of entities with derived attributes; memory for a batch.
    func run() throws {
        guard try isStale(entry.store.metadata()) else { return }
        let transaction = try entry.store.beginWrite()
        do {
            // Another process may have been faster.
            let metadata = try transaction.metadata()
            guard try isStale(metadata) else { return transaction.rollback() }
            let expressions = derivations.all.map { RowExpression($0.expression) }
            for (place, derived) in derivations.all.enumerated() where entry.holds(anyOf: derived.entity.tree) {
                try refresh(place, derived, expressions, transaction)
            }
            var changes = ChangeSet()
            changes.metadata = try metadata.derived(by: model)
            _ = try transaction.apply(changes)
            try transaction.prepare()
            try transaction.commit()
        } catch {
            transaction.rollback()
            throw error
        }
    }

    private func isStale(_ metadata: StoreMetadata) throws -> Bool {
        if metadata.userInfo[StoreMetadata.staleDerivationsKey] != nil { return true }
        guard let kept = try metadata.model() else { return false }
        return derivations.all.contains { derived in
            kept.entity(named: derived.entity.name)?.attribute(named: derived.attribute.name)?.declaration.derivationExpression
                != derived.attribute.declaration.derivationExpression
        }
    }

    private func refresh(
        _ place: Int, _ derived: DerivedExpression, _ expressions: [RowExpression], _ transaction: any StoreTransaction
    ) throws {
        var objects: [ObjectReference] = []
        try transaction.read { reader in
            if case .references(let found) = try reader.answer(FetchPlan(derived.entity, .references)) { objects = found }
        }
        for start in stride(from: 0, to: objects.count, by: DerivationRefresh.batchSize) {
            let references = objects[start..<min(start + DerivationRefresh.batchSize, objects.count)].map(\.reference)
            var changes = ChangeSet()
            changes.updated = try transaction.read { reader in
                var pass = DerivationPass(derivations, expressions, entry, [], reader)
                let rows = try reader.rows(root: derived.entity.root, references: references)
                return try pass.recompute(place, try model.checked(rows, .open))
            }
            if changes.isEmpty { continue }
            let conflicts = try transaction.apply(changes)
            guard conflicts.isEmpty else {
                throw StoreError(
                    .constraint, .open, "duplicate key: derived values violate a uniqueness constraint", path: entry.store.path,
                    entity: derived.entity.name, key: derived.attribute.name, conflicts: conflicts)
            }
        }
    }

    private static let batchSize = 2048
}
