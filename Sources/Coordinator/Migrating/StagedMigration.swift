import StrataStore
import Synchronization

/// The migration of one store through the stages ahead.
struct StagedMigration {
    private let description: StoreDescription
    private let stages: [MigrationStage]

    init(_ description: StoreDescription, _ stages: [MigrationStage]) {
        var description = description
        description.shouldMigrateStoreAutomatically = false
        // There are no listeners.
        description.options.postsRemoteChanges = false
        if let path = description.path { description.path = StagedMigration.resolved(path) }
        self.description = description
        self.stages = stages
    }

    func run() throws {
        for stage in stages { try stage.check() }
        guard try description.driver.metadataIfPresent(at: description.location) != nil else { return }
        let unlock = try lock()
        defer { unlock?() }
        for (index, stage) in stages.enumerated() {
            let metadata = try description.driver.metadata(at: description.location)
            let reached = try stages.indices.last { index in
                try migrator(through: index, metadata).isDone(metadata, stages[index].mapping)
            }
            if let reached, index < reached { continue }
            if reached != index { try migrate(through: stage, migrator(through: index, metadata)) }
            try finish(stage)
        }
        if stages.contains(where: { $0.conversion != nil }) { try? StageCopy(of: description).removeLeftover() }
    }

    /// Locks the store against other staged migrations: a handler that runs twice may undo what the first did, or
    /// convert twice.
    private func lock() throws -> (() -> Void)? {
        guard stages.contains(where: \.hasSecondHandler) else { return nil }
        if let driver = description.driver as? any StagedStoreDriver {
            return try driver.lockStages(at: description.location, timeout: description.options.timeout)
        }
        guard let path = description.path else { return nil }
        do throws(FileError) {
            let lock = try FileLock.lock(StagedMigration.lockPath(path), timeout: .seconds(max(0, description.options.timeout)))
            return { lock.unlock() }
        } catch {
            if !error.isTimeout { throw StoreError(error, .migrate, path: path) }
            throw StoreError(.locked, .migrate, "another process migrates the store in stages", path: path, underlying: error)
        }
    }

    /// Returns the path of the store itself, whichever link references it: companion files are beside it.
    private static func resolved(_ path: String) -> String { (try? PosixFileSystem.shared.resolvingLinks(path)) ?? path }

    /// Returns the path of the file that is locked during the stages of a store, and stays.
    static func lockPath(_ path: String) -> String {
        let path = resolved(path)
        return PathName.joining(
            PathName.parent(of: path), PathName.shortened("." + PathName.last(of: path), over: 240, keeping: 200) + ".stages")
    }

    /// Returns the migrator to the version of a stage; the last version has to have the store's configuration.
    private func migrator(through index: Int, _ metadata: StoreMetadata) -> StoreMigrator {
        let model = stages[index].model
        let isLast = index == stages.count - 1
        return StoreMigrator(description: isLast ? description : description.passing(model, metadata), model: model)
    }

    private func migrate(through stage: MigrationStage, _ migrator: StoreMigrator) throws {
        if let handler = stage.willMigrate {
            let metadata = try description.driver.metadata(at: description.location)
            // A given model has the classes of its objects, the store's own does not. Of several equivalent ones, the
            // stage's own. In a store without hashes the columns decide.
            let known = stage.origins + description.earlierModels
            let given = metadata.isUnversioned ? nil : known.first { metadata.isCompatible(with: $0) }
            try with(description, StoreDescription.SourceVersion(of: metadata, given ?? migrator.sourceModel(metadata)), handler)
        }
        if stage.conversion != nil { try StageCopy(of: description).make() }
        let note: [String: PropertyListValue] = stage.hasSecondHandler ? [StoreMetadata.unfinishedStageKey: .bool(true)] : [:]
        if let mapping = stage.mapping { return try migrator.run(.init(mapping: mapping, engine: stage.engine, note: note)) }
        let metadata = try description.driver.metadata(at: description.location)
        let mapping = try migrator.inferredMapping(from: migrator.sourceModel(metadata), isConverted: stage.conversion != nil)
        try migrator.run(.init(mapping: mapping, note: note))
    }

    /// Runs the handler after a stage; throws what its handler throws, after which the store is as it was before the
    /// stage, where that has a copy.
    private func finish(_ stage: MigrationStage) throws {
        let metadata = try description.driver.metadata(at: description.location)
        guard metadata.userInfo[StoreMetadata.unfinishedStageKey] != nil else { return }
        do { try runSecondHandler(of: stage, metadata) } catch {
            // The copy, if any, restores the store as it was before the stage. Where that fails, the next attempt
            // continues here.
            if stage.conversion != nil { try? StageCopy(of: description).restore() }
            throw error
        }
        if stage.conversion != nil { try StageCopy(of: description).remove() }
    }

    private func runSecondHandler(of stage: MigrationStage, _ metadata: StoreMetadata) throws {
        var description = description.passing(stage.model, metadata)
        description.continuesStage = true
        try with(description, .init(model: stage.model, configuration: description.configuration)) { new in
            try stage.didMigrate?(new)
            if let conversion = stage.conversion {
                try withCopy(at: try StageCopy(of: description).location) { try conversion($0, new) }
            }
            guard let entry = new.entries.withLock({ $0.first }) else { return }
            try entry.write(new.model, TransactionOrigin()) { transaction in
                var metadata = try transaction.metadata()
                metadata.userInfo[StoreMetadata.unfinishedStageKey] = nil
                try transaction.commit(metadata)
            }
        }
    }

    private func with(
        _ description: StoreDescription, _ version: StoreDescription.SourceVersion, _ body: (PersistentStoreCoordinator) throws -> Void
    ) throws {
        var description = description
        description.configuration = version.configuration
        let coordinator = PersistentStoreCoordinator(model: version.model)
        let store = try coordinator.addStore(description)
        defer { try? coordinator.remove(store) }
        try body(coordinator)
    }

    private func withCopy(at location: StoreLocation, _ body: (PersistentStoreCoordinator) throws -> Void) throws {
        var old = description
        old.location = location
        old.isReadOnly = true
        let metadata = try old.driver.metadata(at: old.location)
        let source = try StoreMigrator(description: old, model: stages[0].model).sourceModel(metadata)
        try with(old, StoreDescription.SourceVersion(of: metadata, source), body)
    }
}
