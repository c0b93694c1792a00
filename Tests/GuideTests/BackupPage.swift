import Strata
import StrataSQLite
import StrataXML

/// The code of the guide "Backup and restore".
enum BackupPage {
    static func copy(_ container: PersistentContainer) throws {
        let copies = PersistentStoreCoordinator(model: container.model)
        try copies.replaceStore(at: "/backup/notes.sqlite", withStoreAt: "/data/notes.sqlite", .sqlite)
    }

    static func check(_ container: PersistentContainer) throws {
        let problems = try PersistentStoreCoordinator.verifyStore(
            StoreDescription(.sqlite, path: "/backup/notes.sqlite"), model: container.model)
        for problem in problems { print(problem) }
    }

    static func restore(_ container: PersistentContainer) throws {
        for store in container.coordinator.stores { try container.coordinator.remove(store) }
        try container.coordinator.replaceStore(at: "/data/notes.sqlite", withStoreAt: "/backup/notes.sqlite", .sqlite)
        try container.coordinator.addStore(StoreDescription(.sqlite, path: "/data/notes.sqlite"))
    }

    static func export(_ container: PersistentContainer) throws {
        let export = PersistentStoreCoordinator(model: container.model)
        let copy = try export.addStore(StoreDescription(.sqlite, path: "/backup/notes.sqlite"))
        try export.remove(try export.migrateStore(copy, to: StoreDescription(.xml, path: "/backup/notes.xml")))
    }
}
