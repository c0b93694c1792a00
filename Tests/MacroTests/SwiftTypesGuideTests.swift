#if Macros
    import Foundation
    import Strata
    import StrataSQLite
    import StrataTestSupport
    import Testing

    @Model final class Author: ManagedObject {
        #Unique<Author>([\.email])
        #Index<Author>([\.name])

        var name: String
        var email: String
        var born: Int?
        var mood: Mood = .calm
        var joined = Date()
        @Relationship(deleteRule: .deny, inverse: \Novel.author) var novels: [Novel] = []
        @Transient var isShown = false

        init(name: String, email: String) {
            self.name = name
            self.email = email
        }
    }

    @Model final class Novel: ManagedObject {
        @Attribute(.validation(.length(1...200)), originalName: "name") var title: String
        @Attribute(.type(.integer16)) var pages: Int = 0
        @Attribute(.externalStorage) var cover: Data?
        var genres: [String] = []
        var author: Author?

        init(title: String) { self.title = title }
    }

    enum Mood: String, ValueConvertible { case calm, wild }

    enum CatalogueV1: VersionedSchema {
        static let versionIdentifier = Schema.Version(1, 0, 0)
        static var models: [any PersistentModel.Type] { [Entry.self] }

        @Model final class Entry: ManagedObject {
            var name: String
            init(name: String) { self.name = name }
        }
    }

    enum CatalogueV2: VersionedSchema {
        static let versionIdentifier = Schema.Version(2, 0, 0)
        static var models: [any PersistentModel.Type] { [Entry.self] }

        @Model final class Entry: ManagedObject {
            @Attribute(originalName: "name") var title: String
            var count: Int = 1
            init(title: String) { self.title = title }
        }
    }

    enum CataloguePlan: SchemaMigrationPlan {
        static var schemas: [any VersionedSchema.Type] { [CatalogueV1.self, CatalogueV2.self] }
        static var stages: [MigrationStage] { [.lightweight(fromVersion: CatalogueV1.self, toVersion: CatalogueV2.self)] }
    }

    enum CatalogueV3: VersionedSchema {
        static let versionIdentifier = Schema.Version(3, 0, 0)
        static var models: [any PersistentModel.Type] { [Entry.self] }

        @Model final class Entry: ManagedObject {
            var title: String
            var label: String
            init(title: String, label: String) { (self.title, self.label) = (title, label) }
        }
    }

    enum LabelPlan: SchemaMigrationPlan {
        static var schemas: [any VersionedSchema.Type] { CataloguePlan.schemas + [CatalogueV3.self] }
        static var stages: [MigrationStage] { CataloguePlan.stages + [.mapped(by: labels)] }

        static let labels: MappingModel = {
            do {
                let second = try ManagedObjectModel(versionedSchema: CatalogueV2.self)
                let third = try ManagedObjectModel(versionedSchema: CatalogueV3.self)
                return try MappingModel(from: second, to: third) {
                    EntityMapping(from: "Entry", to: "Entry") { PropertyMapping("label", "uppercase:($source.title)") }
                }
            } catch {
                fatalError("the mapping does not fit the versions: \(error)")
            }
        }()
    }

    @MainActor @Suite("The guide to Swift types")
    struct SwiftTypesGuideTests {
        private let directory: TemporaryDirectory

        init() throws { directory = try TemporaryDirectory() }

        @Test("Its examples are the code of this file")
        func text() throws {
            #expect(try PageExamples.ofGuide("SwiftTypes") == (7, []))
        }

        @Test("Authors and their novels are saved and found")
        func saving() throws {
            let path = directory.file("novels.sqlite")
            let container = try PersistentContainer(for: Author.self, stores: [StoreDescription(.sqlite, path: path)])
            let context = container.viewContext
            let mary = Author(name: "Mary", email: "mary@example.org")
            mary.novels = [Novel(title: "Frankenstein"), Novel(title: "The Last Man")]
            context.insert(mary)
            try context.save()
            let calm = try context.fetch(ObjectFetchRequest<Author>(Author.mood == .calm && Author.name.beginsWith("M")))
            let last = try context.fetch(ObjectFetchRequest<Novel>(\Novel.title == "The Last Man"))
            #expect(calm == [mary])
            #expect(last.map(\.author) == [mary])
            context.delete(mary)
            #expect(throws: ValidationError.self) { try context.save() }
        }

        @Test("The catalogue's second version has what was saved with the first")
        func migrating() throws {
            let description = StoreDescription(.sqlite, path: directory.file("catalogue.sqlite"))
            do {
                let container = try PersistentContainer(for: CatalogueV1.Entry.self, stores: [description])
                container.viewContext.insert(CatalogueV1.Entry(name: "Lamp"))
                try container.viewContext.save()
                for store in container.coordinator.stores { try container.coordinator.remove(store) }
            }
            let container = try PersistentContainer(for: CatalogueV2.Entry.self, stores: [description], migrationPlan: CataloguePlan.self)
            let entries = try container.viewContext.fetch(ObjectFetchRequest<CatalogueV2.Entry>())
            #expect(entries.map(\.title) == ["Lamp"])
            #expect(entries.map(\.count) == [1])
        }

        @Test("A mapping in a plan computes values of the third version, from the first and from the second", arguments: [1, 2])
        func mapping(_ version: Int) throws {
            let description = StoreDescription(.sqlite, path: directory.file("labels\(version).sqlite"))
            var container = try PersistentContainer(for: CatalogueV1.Entry.self, stores: [description])
            container.viewContext.insert(CatalogueV1.Entry(name: "Lamp"))
            try container.viewContext.save()
            try container.close()
            if version == 2 {
                container = try PersistentContainer(for: CatalogueV2.Entry.self, stores: [description], migrationPlan: CataloguePlan.self)
                try container.close()
            }
            container = try PersistentContainer(for: CatalogueV3.Entry.self, stores: [description], migrationPlan: LabelPlan.self)
            let entries = try container.viewContext.fetch(CatalogueV3.Entry.self)
            #expect(entries.map(\.title) == ["Lamp"])
            #expect(entries.map(\.label) == ["LAMP"])
        }
    }
#endif
