import Strata
import StrataLMDB
import StrataSQLite
import StrataXML

/// The code of the guide "Several stores under one coordinator".
enum SeveralStoresPage {
    struct Cache { func invalidate(_ changes: RemoteChanges) {} }

    static func open() throws -> PersistentContainer {
        let model = try ManagedObjectModel {
            Entity("Document") { Attribute("title", .string) }
            Entity("Setting") { Attribute("name", .string) }
            EntityConfiguration("bulk", "Document")
            EntityConfiguration("settings", "Setting")
        }
        let container = try PersistentContainer(
            model: model,
            stores: [
                StoreDescription(.lmdb, path: "documents.lmdb", configuration: "bulk"),
                StoreDescription(.xml, path: "settings.xml", configuration: "settings"),
            ])
        return container
    }

    static func resolve(_ description: StoreDescription, _ coordinator: PersistentStoreCoordinator) throws -> [InterruptedSave] {
        // .apply gives the store what it lacks of the save; .forget leaves it as it is. The save's file is put aside.
        let resolved = try coordinator.resolveInterruptedSaves(of: description, by: .forget)
        return resolved
    }

    static func observe(_ context: ManagedObjectContext, _ coordinator: PersistentStoreCoordinator, _ cache: Cache) async {
        context.transactionAuthor = "importer"
        let subscription = coordinator.observeSaves { event in
            for store in event.stores { print(event.origin.author ?? "", store.inserted.count, store.updated.map(\.changedProperties)) }
        }
        // Or in a task:
        for await event in coordinator.saveEvents { cache.invalidate(event.changes) }
        subscription.cancel()
    }

    static func look() throws {
        let coordinator = try PersistentStoreCoordinator(openingWithOwnModel: StoreDescription(.sqlite, path: "zoo.sqlite"))
        for entity in coordinator.model.entities { print(entity.name) }
    }
}
