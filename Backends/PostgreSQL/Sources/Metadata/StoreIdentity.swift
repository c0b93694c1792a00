import StrataModel
import StrataSQL
import StrataStore

/// Whose tables a store was opened with, and of which version of the model: others may have replaced them since.
struct StoreIdentity {
    let id: StoreID
    /// Grows with each version of the model that the store is brought to.
    let generation: Int64

    /// - Throws: `StoreError` with `corrupt`, `replaced`, `incompatibleModel` where another is found.
    func check(_ generation: Int64?, _ id: String?, _ operation: StoreError.Operation) throws {
        guard let id else { throw Difference.missing.error(operation) }
        guard id == self.id.rawValue else { throw Difference.id.error(operation) }
        guard generation == self.generation else { throw Difference.generation.error(operation) }
    }

    /// What fails where another is found, in a way of its own for each difference; see ``failure(_:_:)``.
    ///
    /// What fails depends on the row, so that no planner computes it beforehand.
    ///
    /// ```sql
    /// SELECT CASE WHEN count(*) = 0 THEN 1 / count(*) WHEN max(store_id) <> $1 THEN sqrt(-count(*)) WHEN max(generation) <> $2
    /// THEN ln(0 * count(*)) END FROM "s"."strata_metadata"
    /// ```
    func requirement(_ table: QualifiedName) -> SQLText {
        """
        SELECT CASE WHEN pg_catalog.count(*) = 0 THEN 1 / pg_catalog.count(*) \
        WHEN pg_catalog.max(store_id) <> \(bind: .text(id.rawValue)) THEN pg_catalog.sqrt(-pg_catalog.count(*)) \
        WHEN pg_catalog.max(generation) <> \(bind: .bigint(generation)) THEN pg_catalog.ln(0 * pg_catalog.count(*)) END FROM \(table)
        """
    }

    /// What the failure of ``requirement(_:)`` means.
    func failure(_ error: any Error, _ operation: StoreError.Operation) -> any Error {
        PostgreSQLFailure(of: error).flatMap { Difference(rawValue: $0.state) }?.error(operation) ?? error
    }

    /// What is different, by the state that the server calls the failure.
    private enum Difference: String {
        case missing = "22012"
        case id = "2201F"
        case generation = "2201E"

        func error(_ operation: StoreError.Operation) -> StoreError {
            switch self {
            case .missing: StoreError(.corrupt, operation, "the store has no metadata")
            case .id: StoreError(.replaced, operation, "the store was replaced by another one", recovery: .reopen)
            case .generation:
                StoreError(
                    .incompatibleModel, operation, "the store was brought to another version of its model; open it again", recovery: .reopen
                )
            }
        }
    }
}
