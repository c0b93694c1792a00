#if Macros
    import Foundation
    import Strata
    import StrataSQLite
    import StrataTestSupport
    import Testing

    enum LibraryV1: VersionedSchema {
        static let versionIdentifier = Schema.Version(1, 0, 0)
        static var models: [any PersistentModel.Type] { [Book.self] }

        @Model final class Book: ManagedObject {
            var title: String
            var pages: Int = 0
            init(title: String) { self.title = title }
        }
    }

    enum LibraryV2: VersionedSchema {
        static let versionIdentifier = Schema.Version(2, 0, 0)
        static var models: [any PersistentModel.Type] { [Book.self] }

        @Model final class Book: ManagedObject {
            @Attribute(originalName: "title") var name: String
            var pages: Int = 0
            var isLong: Bool = false
            init(name: String) { self.name = name }
        }
    }

    enum LibraryPlan: SchemaMigrationPlan {
        static var schemas: [any VersionedSchema.Type] { [LibraryV1.self, LibraryV2.self] }
        static var stages: [MigrationStage] { [migrateV1toV2] }

        static let migrateV1toV2 = MigrationStage.custom(
            fromVersion: LibraryV1.self, toVersion: LibraryV2.self,
            willMigrate: { context in
                for book in try context.fetch(ObjectFetchRequest<LibraryV1.Book>()) { book.title = book.title.uppercased() }
                try context.save()
            },
            didMigrate: { context in
                for book in try context.fetch(ObjectFetchRequest<LibraryV2.Book>(LibraryV2.Book.pages > 300)) { book.isLong = true }
                try context.save()
            })
    }

    /// The same to a store as the first version: only a default differs.
    enum LibraryV1b: VersionedSchema {
        static let versionIdentifier = Schema.Version(1, 1, 0)
        static var models: [any PersistentModel.Type] { [Book.self] }

        @Model final class Book: ManagedObject {
            var title: String
            var pages: Int = 10
            init(title: String) { self.title = title }
        }
    }

    enum LongLibraryPlan: SchemaMigrationPlan {
        static var schemas: [any VersionedSchema.Type] { [LibraryV1.self, LibraryV1b.self, LibraryV2.self] }
        static var stages: [MigrationStage] {
            [
                .lightweight(fromVersion: LibraryV1.self, toVersion: LibraryV1b.self),
                .custom(
                    fromVersion: LibraryV1b.self, toVersion: LibraryV2.self,
                    willMigrate: { context in
                        for book in try context.fetch(ObjectFetchRequest<LibraryV1b.Book>()) { book.pages += 1 }
                        try context.save()
                    }, didMigrate: nil),
            ]
        }
    }

    @Suite("Versions of Swift classes")
    struct VersionTests {
        @Test(
            "A plan leads a store from one version of its classes to the next, and handlers see objects of these",
            arguments: [TestStore.sqlite, .xml])
        func migrating(_ store: TestStore) throws {
            let directory = try TemporaryDirectory()
            let description = store.description(in: directory.path)
            do {
                let container = try PersistentContainer(for: LibraryV1.Book.self, stores: [description])
                let context = ManagedObjectContext(container.coordinator)
                let book = LibraryV1.Book(title: "Emma")
                book.pages = 400
                context.insert(book)
                context.insert(LibraryV1.Book(title: "Sonnets"))
                try context.save()
                for store in container.coordinator.stores { try container.coordinator.remove(store) }
            }
            let container = try PersistentContainer(for: LibraryV2.Book.self, stores: [description], migrationPlan: LibraryPlan.self)
            let context = ManagedObjectContext(container.coordinator)
            let books = try context.fetch(ObjectFetchRequest<LibraryV2.Book>(sort: [LibraryV2.Book.name.ascending]))
            #expect(books.map(\.name) == ["EMMA", "SONNETS"])
            #expect(books.map(\.isLong) == [true, false])
        }

        /// The handler got the classes of whichever of the two came first, so that no store came through.
        @Test("A handler gets the classes of its own version, though another one is the same to the store")
        func equalVersions() throws {
            let directory = try TemporaryDirectory()
            let description = TestStore.sqlite.description(in: directory.path)
            do {
                let container = try PersistentContainer(for: LibraryV1.Book.self, stores: [description])
                let context = ManagedObjectContext(container.coordinator)
                context.insert(LibraryV1.Book(title: "Emma"))
                try context.save()
                for store in container.coordinator.stores { try container.coordinator.remove(store) }
            }
            let container = try PersistentContainer(for: LibraryV2.Book.self, stores: [description], migrationPlan: LongLibraryPlan.self)
            let context = ManagedObjectContext(container.coordinator)
            #expect(try context.fetch(ObjectFetchRequest<LibraryV2.Book>()).map(\.pages) == [1])
        }

        @Test("A version's model carries its number")
        func identifier() throws {
            let model = try ManagedObjectModel(versionedSchema: LibraryV2.self)
            #expect(model.versionIdentifiers == ["2.0.0"])
            #expect(Schema.Version(1, 9, 0) < Schema.Version(1, 10, 0))
        }
    }
#endif
