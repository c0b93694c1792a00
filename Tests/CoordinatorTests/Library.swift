import Strata
import StrataSQLite
import StrataTestSupport

/// Books in one store and readers in another, with what a test does to them.
struct Library {
    let model: ManagedObjectModel
    let stores: [StoreDescription]

    /// - Parameter stores: The store of the books, and that of the readers.
    init(_ books: StoreDescription, _ readers: StoreDescription) throws {
        model = try ManagedObjectModel {
            Entity("Book") {
                Attribute("name", .string)
                Unique("name")
            }
            Entity("Reader") { Attribute("name", .string) }
            EntityConfiguration("books", "Book")
            EntityConfiguration("readers", "Reader")
        }
        var (books, readers) = (books, readers)
        (books.configuration, readers.configuration) = ("books", "readers")
        stores = [books, readers]
    }

    /// A coordinator over the stores, in their order; a new one each time, as another process would have it.
    func open() throws -> PersistentStoreCoordinator {
        let coordinator = PersistentStoreCoordinator(model: model)
        for store in stores { try coordinator.addStore(store) }
        return coordinator
    }

    /// Saves a book and a reader of a name in one save.
    static func save(_ name: String, _ coordinator: PersistentStoreCoordinator) throws {
        let context = ManagedObjectContext(coordinator)
        for entity in ["Book", "Reader"] {
            try context.insert(entity).setValue(name, forKey: "name")
        }
        try context.save()
    }

    /// The names of the books and of the readers.
    static func names(_ coordinator: PersistentStoreCoordinator) throws -> [[String]] {
        let context = ManagedObjectContext(coordinator)
        return try ["Book", "Reader"].map { entity in
            try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: entity)).map { try $0.value(forKey: "name") as? String ?? "" }
                .sorted()
        }
    }
}
