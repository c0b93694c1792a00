public import StrataModel
public import StrataStore

extension PersistentStoreCoordinator {
    /// What migrating a store to a version of its model would do: a dry run that changes nothing.
    ///
    /// ```swift
    /// if let plan = try PersistentStoreCoordinator.migrationPlan(for: description, to: model) { print(plan) }
    /// ```
    /// - Returns: `nil` where the store needs no migration.
    /// - Throws: `StoreError` where the store cannot be looked at; `missingSourceModel` where it keeps no model and none of its
    ///   description's earlier models fits; `missingMapping` where no mapping can be inferred.
    public static func migrationPlan(for description: StoreDescription, to model: ManagedObjectModel) throws -> MigrationPlan? {
        let metadata = try description.driver.metadata(at: description.location)
        if metadata.isCompatible(with: model, configuration: description.configuration) { return nil }
        let migrator = StoreMigrator(description: description, model: model)
        return try migrator.inferredMapping(from: try migrator.sourceModel(metadata)).plan
    }

    /// Brings a store to a version of its model, in place; does nothing where it is at that version.
    ///
    /// It happens in one transaction of the store: a crash, a full disk, or an object that cannot become one of the new model leaves the
    /// store as it was. Nobody else writes meanwhile, and saves over several stores that were interrupted are finished first. Whoever has
    /// the store open with the old model has to open it again. ``addStore(_:)`` does the same by itself, unless its description says
    /// otherwise.
    ///
    /// - Parameters:
    ///   - description: Where the store is.
    ///   - model: The version that it is brought to.
    ///   - mapping: How objects change; `nil` to infer it.
    /// - Throws: `StoreError` with `migration` where an object cannot become one of the new model, `constraint` where two have equal values
    ///   that the new model keeps unique, and as ``migrationPlan(for:to:)``.
    /// - Complexity: O(n) time, or less where the store has a shorter way; memory for some thousand objects beside what the store itself
    ///   needs.
    public static func migrateStore(
        _ description: StoreDescription, to model: ManagedObjectModel, mapping: MappingModel? = nil
    ) throws {
        try StoreMigrator(description: description, model: model).run(mapping)
    }

    /// Leads a store through versions of its model, one stage after the other, from the version that it is at; does nothing where there is no
    /// store yet, or it is at the last one.
    ///
    /// A store that is at none of the stages' versions begins with the first. Where a handler throws, the store stays at the version that it
    /// has come to, and the rest is done the next time; so it is after a crash.
    ///
    /// - Throws: What a handler throws; as ``migrateStore(_:to:mapping:)``.
    public static func migrateStore(_ description: StoreDescription, through stages: [MigrationStage]) throws {
        try StagedMigration(description, stages).run()
    }
}
