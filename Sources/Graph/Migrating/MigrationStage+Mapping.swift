public import StrataCoordinator
public import StrataStore

extension MigrationStage {
    /// Returns a stage that migrates by a mapping model, to its destination.
    ///
    /// - Parameters:
    ///   - mapping: The mapping from the stage before to this one.
    ///   - policies: The policies by their names in the mapping; for a name with a module, `Shop.SplitName`, the name
    ///     of the class suffices.
    ///   - didMigrate: Gets the migrated store. It runs again until it has returned once.
    public static func mapped(
        by mapping: MappingModel, policies: [String: EntityMigrationPolicy.Type] = [:], didMigrate: Handler? = nil
    ) -> MigrationStage {
        MigrationStage(mapping: mapping, engine: PolicyMigration.engine(for: mapping, policies), didMigrate: didMigrate)
    }
}

extension PersistentStoreCoordinator {
    /// Migrates a store to a version of its model, in place; does nothing where it has that version.
    ///
    /// It happens in one transaction of the store: a crash, a full disk, an error of a policy, or an object that does
    /// not fit the new model leaves the store as it was. No other process writes meanwhile, and interrupted saves over
    /// several stores are finished first. Coordinators that have the store open with the old model have to open it
    /// again. `addStore(_:)` does the same by default, by an inferred mapping.
    ///
    /// - Parameters:
    ///   - description: The store; its `migrationProgress` receives the progress.
    ///   - model: The version to migrate to.
    ///   - mapping: How objects change; `nil` to infer it.
    ///   - policies: The policies by their names in the mapping; for a name with a module, `Shop.SplitName`, the name
    ///     of the class suffices.
    /// - Throws: `MappingError` where the mapping has a malformed expression, or names an unknown policy. `StoreError`
    ///   with `migration` where an object does not fit the new model, `constraint` where two have equal values that the
    ///   new model keeps unique, `entityMigrationPolicy` with what a policy threw, `cancelled`, `missingSourceModel`
    ///   where the store has no model and none of its description's earlier models fits, `missingMapping` where no
    ///   mapping can be inferred, or the given one starts from another version.
    /// - Complexity: O(n) time, or less where the store has a shorter way; memory for some thousand objects beside what
    ///   the store itself needs. A mapping that could not be inferred has all new objects in memory.
    public static func migrateStore(
        _ description: StoreDescription, to model: ManagedObjectModel, mapping: MappingModel? = nil,
        policies: [String: EntityMigrationPolicy.Type] = [:]
    ) throws {
        try migrateStore(description, to: model, mapping: mapping, engine: mapping.flatMap { PolicyMigration.engine(for: $0, policies) })
    }
}

extension PolicyMigration {
    /// Returns the engine of a mapping; `nil` for one that could be inferred.
    fileprivate static func engine(for mapping: MappingModel, _ policies: [String: EntityMigrationPolicy.Type]) -> PolicyMigration? {
        mapping.isPlain ? nil : PolicyMigration(policies: policies)
    }
}
