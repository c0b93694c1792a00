import Strata
import StrataBinary
import StrataSQLite
import StrataTestSupport
import Testing

/// Each message of a migration that is refused.
@Suite("Messages of migrations")
struct MigrationMessageTests {
    private let directory: TemporaryDirectory
    private let old: ManagedObjectModel

    init() throws {
        directory = try TemporaryDirectory()
        old = try MigrationMessageTests.model(Attribute("name", .string))
    }

    private static func model(_ name: Attribute, isOwned: Bool = false) throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Book") {
                name
                Relationship("author", to: "Author", inverse: "books").with { $0.isOptional = !isOwned }
            }
            Entity("Author") { Relationship("books", to: "Book", inverse: "author", .toMany) }
        }
    }

    /// Returns the message of an automatic migration of a book without name and author.
    private func message(
        to model: ManagedObjectModel, _ driver: some StoreDriver, by mapping: MappingModel? = nil,
        _ change: (inout StoreDescription) -> Void = { _ in }
    ) throws -> String? {
        var description = StoreDescription(driver, path: directory.file("Store"))
        let coordinator = PersistentStoreCoordinator(model: old)
        let store = try coordinator.addStore(description)
        let context = ManagedObjectContext(coordinator)
        try context.insert("Book")
        try context.save()
        try coordinator.remove(store)
        change(&description)
        return messageOfError { try PersistentStoreCoordinator.migrateStore(description, to: model, mapping: mapping) }
    }

    @Test("Of an object without a value or a destination that the new model requires")
    func requirements() throws {
        #expect(
            try message(to: Self.model(Attribute("name", .string).required), .binary)
                == "the attribute is required and has no default, and there is an object without a value (p1)")
        try PersistentStoreCoordinator(model: old).destroyStore(at: directory.file("Store"), .binary)
        #expect(
            try message(to: Self.model(Attribute("name", .string), isOwned: true), .binary)
                == "the relationship is required, and there is an object without a destination (p1)")
    }

    @Test("Of a value that an altered table lacks")
    func alteredTable() throws {
        #expect(
            try message(to: Self.model(Attribute("name", .string).required), .sqlite)
                == "the attribute is required and has no default, and there is an object without a value (p1)")
    }

    @Test("Of a mapping that is missing, or between other versions")
    func mappings() throws {
        let new = try Self.model(Attribute("title", .string))
        let other = try Self.model(Attribute("label", .string))
        #expect(
            try message(to: Self.model(Attribute("name", .date)), .sqlite)
                == "there is no mapping from the store's version of the model to the new one")
        try PersistentStoreCoordinator(model: old).destroyStore(at: directory.file("Store"), .sqlite)
        #expect(
            try message(to: new, .sqlite, by: MappingModel.inferred(from: old, to: other))
                == "the destination of the mapping is another version of the model than the requested one")
        try PersistentStoreCoordinator(model: old).destroyStore(at: directory.file("Store"), .sqlite)
        #expect(
            try message(to: new, .sqlite, by: MappingModel.inferred(from: other, to: new))
                == "the source of the mapping is another version of the model than that of the store")
    }

    private struct Cancelled: Error {}

    @Test("Of a migration that the program cancels, or of a configuration that the model does not have")
    func options() throws {
        let new = try Self.model(Attribute("title", .string))
        #expect(
            try message(to: new, .sqlite) { $0.migrationProgress = { _ in throw Cancelled() } }
                == "the migration was cancelled; the store is as it was")
        try PersistentStoreCoordinator(model: old).destroyStore(at: directory.file("Store"), .sqlite)
        #expect(try message(to: new, .sqlite) { $0.configuration = "None" } == "the model has no configuration None")
    }
}
