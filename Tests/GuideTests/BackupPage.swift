import Strata
import StrataSQLite
import StrataXML

/// The code of the guide "Backup and restore".
enum BackupPage {
    static func backUp(_ container: PersistentContainer) throws {
        let backup = try container.coordinator.backUp(to: "/backup/shop") { progress in
            print("\(Int(progress.fractionCompleted * 100)) %")
        }
        print("\(backup.stores.count) stores as of \(backup.time)")
    }

    static func check(_ container: PersistentContainer) throws {
        let backup = try StoreBackup(at: "/backup/shop")
        try backup.check()
        for store in backup.stores where store.type == .sqlite {
            let copy = StoreDescription(.sqlite, path: store.path, configuration: store.configuration)
            for problem in try PersistentStoreCoordinator.verifyStore(copy, model: container.model) { print(problem) }
        }
    }

    @MainActor static func restore(_ container: PersistentContainer) throws {
        try container.coordinator.restore(from: "/backup/shop")
        container.viewContext.reset()
    }

    static func restoreLost(_ container: PersistentContainer) throws {
        let coordinator = PersistentStoreCoordinator(model: container.model)
        try coordinator.restore(from: "/backup/shop", to: [StoreDescription(.sqlite, path: "/data/shop.sqlite")])
    }

    static func export(_ container: PersistentContainer) throws {
        let export = PersistentStoreCoordinator(model: container.model)
        let copy = try export.addStore(StoreDescription(.sqlite, path: "/data/shop.sqlite"))
        try export.remove(try export.migrateStore(copy, to: StoreDescription(.xml, path: "/export/shop.xml")))
    }
}
