import Strata
import StrataPostgreSQL

/// The code of the guide "Past one machine".
enum PastOneMachinePage {
    static func convert(_ store: any PersistentStore, _ coordinator: PersistentStoreCoordinator) throws -> any PersistentStore {
        let server = StoreDescription.postgreSQL("postgresql://db.example.com/ledger", schema: "ledger")
        let moved = try coordinator.migrateStore(store, to: server)
        return moved
    }

    static func check(_ moved: any PersistentStore, _ coordinator: PersistentStoreCoordinator) throws -> Int {
        let problems = try coordinator.verify(moved)
        return problems.count
    }

    static func replica(_ container: PersistentContainer) -> (StoreDescription, ManagedObjectContext) {
        let server = StoreDescription.postgreSQL(
            "postgresql://db.example.com/ledger", schema: "ledger", replica: "postgresql://replica.example.com/ledger?connect_timeout=2")
        let reports = container.newContext()
        reports.readsFromReplicas = true
        return (server, reports)
    }
}
