public import StrataStore

extension PersistentStoreCoordinator {
    /// Returns the steps of migrating a store to a version of its model: a dry run that changes nothing.
    ///
    /// ```swift
    /// if let plan = try PersistentStoreCoordinator.migrationPlan(for: description, to: model) { print(plan) }
    /// ```
    /// - Returns: `nil` where the store needs no migration.
    /// - Throws: `StoreError` where the store cannot be looked at; `missingSourceModel` where it keeps no model and
    ///   none of its description's earlier models fits; `missingMapping` where no mapping can be inferred.
    public static func migrationPlan(for description: StoreDescription, to model: ManagedObjectModel) throws -> MigrationPlan? {
        let metadata = try description.driver.metadata(at: description.location)
        let migrator = StoreMigrator(description: description, model: model)
        if try migrator.isDone(metadata) { return nil }
        return try migrator.inferredMapping(from: try migrator.sourceModel(metadata)).plan
    }

    /// See the graph's `migrateStore(_:to:mapping:policies:)`.
    package static func migrateStore(
        _ description: StoreDescription, to model: ManagedObjectModel, mapping: MappingModel?, engine: (any MappingEngine)?
    ) throws {
        try StoreMigrator(description: description, model: model).run(.init(mapping: mapping, engine: engine))
    }

    /// Migrates a store through versions of its model by stages, from its current version; does nothing without a
    /// store, or at the last version.
    ///
    /// A store at none of the stages' versions begins with the first. Where a handler throws, or after a crash, the
    /// store stays at the version that it has reached, and the rest is done the next time.
    ///
    /// During stages with a handler after them, other migrations wait up to the description's time-out.
    ///
    /// - Throws: What a handler throws; `StoreError` with `locked` after the time-out, and `exists` where there is a
    ///   file at the path of the copy that a conversion reads; as `migrateStore(_:to:mapping:policies:)`.
    public static func migrateStore(_ description: StoreDescription, through stages: [MigrationStage]) throws {
        try StagedMigration(description, stages).run()
    }
}
