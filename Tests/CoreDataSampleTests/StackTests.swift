import CoreData
import Foundation
import Testing

@testable import CoreDataSample

@MainActor
struct StackTests {
    @Test("Stores of previews keep nothing")
    func preview() throws {
        let controller = PersistenceController.preview
        #expect(try Recipe.fetch(in: controller.container.viewContext).count == 3)
        #expect(controller.container.persistentStoreDescriptions.map(\.url?.path) == ["/dev/null", "/dev/null"])
        let other = PersistenceController(inMemory: true)
        #expect(try Recipe.count(in: other.container.viewContext) == 0)
    }

    @Test("A save that fails gives the changes up, and one without changes does nothing")
    func save() throws {
        let controller = PersistenceController(inMemory: true)
        try controller.save()
        try makeRecipe("Cake", rating: 9, in: controller.container.viewContext)
        #expect(throws: (any Error).self) { try controller.save() }
        #expect(!controller.container.viewContext.hasChanges)
    }

    @Test(
        "Each configuration has a store of its own, of any type",
        arguments: [NSPersistentStore.StoreType.sqlite, .binary, .xml, .inMemory])
    func configurations(_ type: NSPersistentStore.StoreType) throws {
        let folder = try TestFolder()
        let container = try makeContainer(in: folder, shoppingType: type)
        let context = container.viewContext
        let recipe = try makeRecipe("Cake", ingredients: ["Flour", "Sugar"], in: context)
        recipe.orderedIngredients[0].measure = Quantity(value: 200, unit: "g")
        try context.save()
        let list = ShoppingList(context)
        try list.add(recipe)
        try list.add(recipe)
        let items = try list.items()
        #expect(items.map(\.name) == ["Flour", "Sugar"])
        #expect(items.map(\.amount) == ["200 g, 200 g", ""])
        #expect(items.allSatisfy { $0.objectID.persistentStore?.type == type.rawValue })
        #expect(items.allSatisfy { $0.objectID.persistentStore?.configurationName == "Shopping" })
        #expect(recipe.objectID.persistentStore?.configurationName == "Cookbook")
        #expect(list.recipes(for: items[0]) == [recipe])
        items[0].price = NSDecimalNumber(string: "1.10")
        items[1].price = NSDecimalNumber(string: "2.20")
        items[1].isDone = true
        try context.save()
        #expect(try list.total() == NSDecimalNumber(string: "3.3"))
        guard type != .inMemory else { return }
        let other = ShoppingList(try makeContainer(in: folder, shoppingType: type).viewContext)
        #expect(try other.items().map(\.isDone) == [false, true])
        #expect(try other.total() == NSDecimalNumber(string: "3.3"))
    }

    @Test("A store that cannot be opened is an error of its description")
    func damagedStore() throws {
        let folder = try TestFolder()
        try Data("no database, but a text that is long enough to be taken for one".utf8).write(to: folder.cookbook)
        let error = try #require(caught { _ = try makeContainer(in: folder) })
        #expect(error.domain == NSCocoaErrorDomain)
        #expect(try Data(contentsOf: folder.cookbook).count == 63)
    }

    @Test("The container has its stores in a folder of the app's")
    func defaultDirectory() {
        let container = RecipesContainer()
        let urls = container.persistentStoreDescriptions.compactMap(\.url)
        #expect(urls.map(\.lastPathComponent) == ["Recipes.sqlite", "Shopping.store"])
        #expect(urls.allSatisfy { $0.deletingLastPathComponent().lastPathComponent == "Recipes" })
        #expect(container.persistentStoreCoordinator.persistentStores.isEmpty)
        #expect(container.persistentStoreDescriptions.allSatisfy { $0.shouldMigrateStoreAutomatically })
    }

    @Test("What another context saves comes to the screen by itself")
    func automaticMerging() async throws {
        let container = try makeContainer()
        let recipe = try makeRecipe("Cake", in: container.viewContext)
        try container.viewContext.save()
        let id = recipe.objectID
        try await container.performBackgroundTask { context in
            let same = try context.existingObject(with: id) as? Recipe
            same?.name = "Pie"
            try context.save()
        }
        await container.viewContext.perform {}
        #expect(recipe.name == "Pie")
    }

    @Test("An observer is notified of a save, and notifies a context of another coordinator")
    func observers() throws {
        let folder = try TestFolder()
        let (container, other) = (try makeContainer(in: folder), try makeContainer(in: folder))
        let context = container.newBackgroundContext()
        let observer = SaveObserver(context)
        try context.performAndWait {
            let recipe = try makeRecipe("Cake", course: "Dessert", ingredients: ["Flour"], in: context)
            try context.save()
            recipe.name = "Pie"
            try context.save()
            context.delete(recipe)
            try context.save()
        }
        #expect(
            observer.entries == [
                .init(inserted: ["Course", "Ingredient", "Recipe"]), .init(updated: ["Recipe"]),
                .init(updated: ["Course"], deleted: 2),
            ])
        #expect(observer.savedIDs == 7)
        #expect(try Course.count(in: other.viewContext) == 1)
    }

    @Test("A context without automatic merging is notified of another one's save")
    func follower() throws {
        let container = try makeContainer()
        let follower = container.newBackgroundContext()
        let observer = SaveObserver(container.viewContext, follower: follower)
        let recipe = try makeRecipe("Cake", in: container.viewContext)
        try container.viewContext.save()
        let id = recipe.objectID
        let copy = try follower.performAndWait { try #require(try follower.existingObject(with: id) as? Recipe) }
        recipe.name = "Pie"
        try container.viewContext.save()
        #expect(follower.performAndWait { copy.name } == "Pie")
        #expect(observer.entries.count == 2)
    }
}
