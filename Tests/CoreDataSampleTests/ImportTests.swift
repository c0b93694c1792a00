import CoreData
import Foundation
import Testing

@testable import CoreDataSample

@MainActor
struct ImportTests {
    let container: RecipesContainer
    var context: NSManagedObjectContext { container.viewContext }

    init() throws { container = try makeContainer() }

    @Test("An import makes recipes with all that belongs to them, and leaves out what lacks something", arguments: [1, 3, 50])
    func firstImport(_ batchSize: Int) async throws {
        let url = try #require(RecipeFeed.sampleURL)
        let summary = try await RecipeImporter(container, batchSize: batchSize).importRecipes(from: url)
        #expect(summary == RecipeImporter.Summary(created: 4, updated: 0, skipped: 2))
        let recipes = try Recipe.fetch(in: context)
        #expect(recipes.map(\.name) == ["Chocolate Cake", "Crêpes Suzette", "Gaufres de Liège", "Onion Soup"])
        let cake = try #require(recipes.first)
        #expect(cake.orderedIngredients.map(\.shoppingAmount) == ["200 g", "225.5 g", "2", "a pinch"])
        #expect(cake.level == .medium)
        #expect(cake.tags == ["chocolate", "birthday"])
        #expect((cake.source as? Book)?.page == 112)
        #expect(cake.source == recipes[3].source)
        #expect(try Course.fetch(in: context).map(\.name) == ["Dessert", "Snack", "Soup"])
        #expect(cake.course == recipes[1].course)
        #expect((recipes[2].source as? Website)?.url?.host == "example.com")
    }

    @Test("Another import updates existing objects")
    func secondImport() async throws {
        let importer = RecipeImporter(container)
        _ = try await importer.importRecipes(try sampleFeed())
        let cake = try #require(try Recipe.fetch(in: context).first)
        cake.isFavorite = true
        cake.preparationMinutes = 1
        try context.save()
        let summary = try await importer.importRecipes(try sampleFeed())
        #expect(summary == RecipeImporter.Summary(created: 0, updated: 4, skipped: 2))
        await context.perform {}
        #expect(cake.preparationMinutes == 60)
        #expect(cake.isFavorite)
        #expect(try Recipe.count(in: context) == 4)
        #expect(try context.count(for: Ingredient.fetchRequest() as NSFetchRequest<Ingredient>) == 10)
        #expect(try context.count(for: Source.fetchRequest() as NSFetchRequest<Source>) == 2)
    }

    @Test("A feed that is no feed imports nothing")
    func wrongFeed() async throws {
        await #expect(throws: ImportError.self) {
            try await RecipeImporter(container).importRecipes(Data("{\"recipes\": 3}".utf8))
        }
        #expect(try Recipe.count(in: context) == 0)
    }

    @Test("A batch inserts outlines without objects, and the screen is notified")
    func batchInsertion() async throws {
        let browser = RecipeBrowser(context, grouping: .none)
        try browser.performFetch()
        let ids = try await RecipeImporter(container).insertOutlines(try sampleFeed())
        #expect(ids.count == 4)
        #expect(ids.allSatisfy { !$0.isTemporaryID })
        #expect(ids.allSatisfy { $0.entity.name == "Recipe" })
        let recipes = try Recipe.fetch(in: context)
        #expect(recipes.map(\.preparationMinutes) == [60, 20, 75, 40])
        #expect(recipes.map(\.level) == [.medium, .medium, .hard, .easy])
        #expect(recipes.allSatisfy { $0.ingredients?.count == 0 })
        #expect(browser.controller.fetchedObjects?.count == 4)
    }

    @Test("A batch updates the objects that have the identifier already")
    func batchUpsert() async throws {
        let importer = RecipeImporter(container)
        try await importer.insertOutlines(try sampleFeed())
        let cake = try #require(try Recipe.fetch(in: context).first)
        cake.name = "Old Cake"
        cake.isFavorite = true
        try context.save()
        try await importer.insertOutlines(try sampleFeed())
        context.refreshAllObjects()
        #expect(cake.name == "Chocolate Cake")
        #expect(try Recipe.count(in: context) == 4)
    }

    @Test("What is found or made is found in the context, in the store, or made")
    func findOrCreate() throws {
        let predicate = NSPredicate(format: "name == %@", "Soup")
        let made = try Course.named("Soup", in: context)
        #expect(try Course.named("Soup", in: context) === made)
        #expect(Course.materializedObject(in: context, matching: predicate) === made)
        try context.save()
        context.reset()
        #expect(Course.materializedObject(in: context, matching: predicate) == nil)
        #expect(try Course.named("Soup", in: context).objectID == made.objectID)
        #expect(try Course.count(in: context) == 1)
    }
}
