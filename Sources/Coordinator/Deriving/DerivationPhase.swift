import StrataEvaluation
import StrataModel
import StrataStore

/// The phase of a save that computes derived values, in one transaction of a store.
struct DerivationPhase {
    private let derivations: Derivations
    private let entry: StoreEntry
    private let expressions: [RowExpression]

    /// - Returns: `nil` where the model derives nothing.
    init?(_ entry: StoreEntry) {
        guard let derivations = entry.derivations else { return nil }
        self.derivations = derivations
        self.entry = entry
        // Compiled for each transaction: an expression contains the time of its compilation.
        expressions = derivations.all.map { RowExpression($0.expression) }
    }

    /// Returns the changes with all derived values: of their own rows, and of dependent ones.
    func derive(_ changes: ChangeSet, in transaction: any StoreTransaction) throws -> ChangeSet {
        if derivations.ignore(changes) { return changes }
        return try transaction.read { reader in
            var pass = DerivationPass(derivations, expressions, entry, changes.links, reader)
            return try pass.derive(changes)
        }
    }

    /// Returns whether rows of the entities have derived values, or others depend on them.
    func concerns(anyOf entities: Range<EntityIndex>) -> Bool { derivations.concern(anyOf: entities) }
}
