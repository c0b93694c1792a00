import Strata
import StrataSQLite

/// The stores of a ledger, and how to open them.
struct LedgerSite {
    let mode: CrashMode
    let directory: String
    /// In which order the stores are opened, where they are several.
    var order = 0
    /// Whether SQLite's pages have checksums.
    var hasChecksums = false
    var durability = StoreOptions.Durability.full
    var version = LedgerVersion.first
    /// How long a lock is waited for, in seconds: not as long as in an application.
    var timeout = 0.5

    var parts: [Part] { mode.ledgerParts }

    var descriptions: [StoreDescription] {
        mode.descriptions(in: directory, order: order).map {
            var description = $0
            description.options.timeout = timeout
            description.options.durability = durability
            if hasChecksums, description.driver.type == SQLiteDriver().type { description.driver = .sqlite(pageChecksums: true) }
            return description
        }
    }

    /// Opens the stores.
    func open() throws -> PersistentStoreCoordinator {
        let coordinator = PersistentStoreCoordinator(model: try LedgerModel.model(version))
        do {
            for description in descriptions {
                try migrate(description, to: coordinator.model)
                try coordinator.addStore(description)
            }
        } catch {
            LedgerSite.close(coordinator)
            throw error
        }
        return coordinator
    }

    private func migrate(_ description: StoreDescription, to model: ManagedObjectModel) throws {
        guard let mapping = try LedgerModel.mapping(to: version) else { return }
        do {
            try PersistentStoreCoordinator.migrateStore(
                description, to: model, mapping: mapping, policies: ["Standard": EntityMigrationPolicy.self])
        } catch let error as StoreError where error.code == .missing {
            return
        }
    }

    /// Closes all stores, whatever that reports.
    static func close(_ coordinator: PersistentStoreCoordinator) {
        for store in coordinator.stores { try? coordinator.remove(store) }
    }

    func reader(_ coordinator: PersistentStoreCoordinator) -> LedgerReader {
        LedgerReader(context: ManagedObjectContext(coordinator), parts: parts)
    }

    func ledger(_ coordinator: PersistentStoreCoordinator) -> Ledger {
        Ledger(context: ManagedObjectContext(coordinator), parts: parts)
    }
}
