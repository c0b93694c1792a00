import CoreData
import Foundation
import StrataTestSupport
import Testing

@testable import CoreDataSample

/// A cookbook that Apple's Core Data wrote, with version 1 of the model, in its time on a telephone.
@MainActor
@Suite(.enabled(if: Fixtures.areAvailable))
struct AppleStoreTests {
    let folder: TestFolder

    init() throws {
        folder = try TestFolder()
        ImageToDataTransformer.register()
        let fixture = URL(fileURLWithPath: Fixtures.path("sqlite/MagicalRecord/Recipes.sqlite"))
        try Data(contentsOf: fixture).write(to: folder.cookbook)
    }

    @Test("It is opened with version 1 of the model")
    func version1() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: RecipesModel.version1.model())
        _ = try coordinator.addPersistentStore(type: .sqlite, at: folder.cookbook, options: [NSReadOnlyPersistentStoreOption: true])
        let context = NSManagedObjectContext(.mainQueue)
        context.persistentStoreCoordinator = coordinator
        let request = NSFetchRequest<NSManagedObject>(entityName: "Recipe")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let recipes = try context.fetch(request)
        #expect(recipes.count == 7)
        let cake = try #require(recipes.first)
        #expect(cake.value(forKey: "prepTime") as? String == "1 hour")
        #expect((cake.value(forKey: "thumbnailImage") as? Picture)?.jpegData.count == 2271)
        #expect(cake.value(forKeyPath: "type.name") as? String == "Dessert")
        #expect((cake.value(forKey: "ingredients") as? NSSet)?.count == 9)
    }

    @Test("Stages migrate it to the current version, and the app works with it")
    func staged() throws {
        let context = try makeContainer(in: folder).viewContext
        try expectAll(in: context)
        let images = try context.fetch(RecipeImage.fetchRequest() as NSFetchRequest<RecipeImage>)
        #expect(images.compactMap(\.data).map(\.count).sorted() == [8149, 11237, 11654, 14018, 14705, 25310, 35685])
        #expect(images.allSatisfy { $0.recipe != nil })
        let macarons = try #require(
            try Recipe.findOrFetch(in: context, matching: NSPredicate(format: "name == %@", "Macarons")))
        #expect(macarons.orderedIngredients.map(\.name) == ["Flour", "Sugar", "Butter", "Almond"])
        macarons.rating = 4
        macarons.isFavorite = true
        try makeRecipe("Bread", course: "Snack", in: context)
        try context.save()
        let again = try makeContainer(in: folder).viewContext
        #expect(try RecipeSearch(onlyFavorites: true).run(in: again).map(\.name) == ["Macarons"])
        #expect(try Recipe.count(in: again) == 8)
    }

    @Test("A mapping model with a policy migrates it to the current version")
    func policies() throws {
        #expect(RecipesModel.version(ofStoreAt: folder.cookbook) == .version1)
        try StoreMigrator(folder.cookbook).migrate()
        try expectAll(in: try makeContainer(in: folder).viewContext)
    }

    private func expectAll(in context: NSManagedObjectContext) throws {
        let recipes = try Recipe.fetch(in: context)
        #expect(
            Set(recipes.compactMap(\.name)) == [
                "Chocolate Cake", "Crèpes Suzette", "Gaufres de Liège", "Ginger snaps", "Macarons", "Tarte aux Fraises",
                "Three Berry Cobbler",
            ])
        #expect(recipes.map(\.preparationMinutes).sorted() == [20, 25, 45, 60, 60, 60, 90])
        #expect(recipes.reduce(0) { $0 + ($1.ingredients?.count ?? 0) } == 31)
        #expect(Set(recipes.map(\.identifier)).count == 7)
        let browser = RecipeBrowser(context, grouping: .course)
        try browser.performFetch()
        #expect((0..<browser.numberOfSections).map(browser.title) == ["Dessert", "Snack"])
    }
}
