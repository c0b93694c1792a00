import CoreData
import Foundation
import Testing

@testable import CoreDataSample

/// Stores of earlier versions are made here, by the models of these versions.
@MainActor
struct MigrationTests {
    let folder: TestFolder
    private let jpeg = Data([0xFF, 0xD8, 0xFF, 0xE0]) + Data(repeating: 7, count: 3_000)

    init() throws {
        folder = try TestFolder()
        ImageToDataTransformer.register()
    }

    /// A cookbook as the first version of the app wrote it.
    private func makeVersion1() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: RecipesModel.version1.model())
        let store = try coordinator.addPersistentStore(type: .sqlite, at: folder.cookbook)
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            func insert(_ entity: String, _ values: [String: Any]) -> NSManagedObject {
                let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
                object.setValuesForKeys(values)
                return object
            }
            let dessert = insert("RecipeType", ["name": "Dessert"])
            let image = insert("Image", ["image": try #require(Picture(jpegData: jpeg))])
            let cake = insert(
                "Recipe",
                [
                    "name": "Chocolate Cake", "prepTime": "1.5 hours", "overview": "With frosting", "type": dessert, "image": image,
                    "thumbnailImage": try #require(Picture(jpegData: jpeg.prefix(100))),
                ])
            _ = insert("Recipe", ["name": "Broth"])
            for (place, name) in [(2, "Butter"), (0, "Flour"), (1, "Sugar")] {
                _ = insert("Ingredient", ["name": name, "amount": "100 g", "displayOrder": place, "recipe": cake])
            }
            try context.save()
        }
        try coordinator.remove(store)
    }

    private func open() throws -> [Recipe] {
        let container = try makeContainer(in: folder)
        return try Recipe.fetch(in: container.viewContext)
    }

    private func expectAll(_ recipes: [Recipe]) throws {
        #expect(recipes.map(\.name) == ["Broth", "Chocolate Cake"])
        let cake = try #require(recipes.last)
        #expect(cake.preparationMinutes == 90)
        #expect(cake.overview == "With frosting")
        #expect(cake.course?.name == "Dessert")
        #expect(cake.orderedIngredients.map(\.name) == ["Flour", "Sugar", "Butter"])
        #expect(cake.orderedIngredients.first?.amount == "100 g")
        #expect(cake.thumbnailImage?.jpegData.count == 100)
        #expect(Set(recipes.map(\.identifier)).count == 2)
        #expect(!recipes.contains { $0.identifier == nil })
        #expect(cake.level == .easy)
    }

    @Test("Stages migrate a store of version 1 to the current version, with work between them")
    func staged() throws {
        try makeVersion1()
        #expect(RecipesModel.version(ofStoreAt: folder.cookbook) == .version1)
        let recipes = try open()
        try expectAll(recipes)
        #expect(recipes.last?.image?.data == jpeg)
        #expect(RecipesModel.version(ofStoreAt: folder.cookbook) == .version3)
        let saved = try #require(recipes.last)
        saved.rating = 4
        try saved.managedObjectContext?.save()
        #expect(saved.ingredientCount == 3)
        try expectAll(try open())
    }

    @Test("A mapping model with a policy migrates a store to the next version, and inference to the current one")
    func policies() throws {
        try makeVersion1()
        let migrator = StoreMigrator(folder.cookbook)
        #expect(migrator.requiresMigration())
        var versions: [RecipesModel] = []
        try migrator.migrate { versions.append($0) }
        #expect(versions == [.version2, .version3])
        #expect(!migrator.requiresMigration())
        try expectAll(try open())
    }

    @Test("A store that a policy migrated to version 2 continues by stages")
    func stagedFromSecond() throws {
        try makeVersion1()
        try StoreMigrator(folder.cookbook).migrate(to: .version2)
        #expect(RecipesModel.version(ofStoreAt: folder.cookbook) == .version2)
        try expectAll(try open())
    }

    @Test("A lightweight migration from version 1 keeps what both versions have")
    func lightweight() throws {
        try makeVersion1()
        let container = RecipesContainer(directory: folder.url)
        let cookbook = try #require(container.persistentStoreDescriptions.first)
        cookbook.setOption(nil, forKey: NSPersistentStoreStagedMigrationManagerOptionKey)
        cookbook.shouldMigrateStoreAutomatically = true
        cookbook.shouldInferMappingModelAutomatically = true
        try container.loadStores()
        let recipes = try Recipe.fetch(in: container.viewContext)
        #expect(recipes.map(\.name) == ["Broth", "Chocolate Cake"])
        #expect(recipes.map(\.course?.name) == [nil, "Dessert"])
        #expect(recipes.map(\.preparationMinutes) == [0, 0])
        #expect(Set(recipes[1].orderedIngredients.map(\.name)) == ["Flour", "Sugar", "Butter"])
        #expect(recipes[1].image != nil)
        #expect(recipes[1].image?.data == nil)
    }

    @Test("A store of another version is not opened where no migration is asked for")
    func withoutMigration() throws {
        try makeVersion1()
        let container = RecipesContainer(directory: folder.url)
        let cookbook = try #require(container.persistentStoreDescriptions.first)
        cookbook.setOption(nil, forKey: NSPersistentStoreStagedMigrationManagerOptionKey)
        cookbook.shouldMigrateStoreAutomatically = false
        let error = try #require(caught { try container.loadStores() })
        #expect(error.domain == NSCocoaErrorDomain)
        #expect(error.code == NSPersistentStoreIncompatibleVersionHashError)
        #expect(ErrorPresenter().message(for: error).title == "The cookbook is of another version of this app.")
        #expect(RecipesModel.version(ofStoreAt: folder.cookbook) == .version1)
    }

    @Test("A store of the current version is opened as it is")
    func currentStore() throws {
        let container = try makeContainer(in: folder)
        try makeRecipe("Cake", in: container.viewContext)
        try container.viewContext.save()
        #expect(!StoreMigrator(folder.cookbook).requiresMigration())
        #expect(try open().map(\.name) == ["Cake"])
    }

    @Test("What is no store is no store of any version")
    func missingStore() {
        #expect(RecipesModel.version(ofStoreAt: folder.cookbook) == nil)
        #expect(throws: CocoaError.self) { try StoreMigrator(folder.cookbook).migrate() }
    }
}
