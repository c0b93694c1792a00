import StrataStore

extension StoreTransaction {
    /// Runs `body`, which ends with the commit; rolls the transaction back where it throws.
    func orRollback<T>(_ body: () throws -> T) throws -> T {
        do { return try body() } catch {
            rollback()
            throw error
        }
    }

    /// Commits the changes of the transaction together with new metadata.
    func commit(_ metadata: StoreMetadata) throws {
        _ = try apply(ChangeSet(metadata: metadata))
        try prepare()
        try commit()
    }
}
