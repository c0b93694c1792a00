import CoreData
import Foundation
import Testing

@testable import CoreDataSample

@MainActor
struct BrowsingTests {
    let container: RecipesContainer
    var context: NSManagedObjectContext { container.viewContext }

    init() throws {
        container = try makeContainer()
        try makeRecipe("Cake", course: "Dessert", minutes: 60, rating: 4, isFavorite: true, ingredients: ["Flour", "Sugar"], in: context)
        try makeRecipe("Broth", course: "Soup", minutes: 90, rating: 2, ingredients: ["Bones"], in: context)
        try makeRecipe(
            "Apple Pie", course: "Dessert", minutes: 45, rating: 3, isFavorite: true, ingredients: ["Flour", "Apples"], in: context)
        try context.save()
    }

    private func recipe(_ name: String) throws -> Recipe {
        try #require(try Recipe.findOrFetch(in: context, matching: NSPredicate(format: "name == %@", name)))
    }

    @Test("A list is divided by the courses")
    func sections() throws {
        let browser = RecipeBrowser(context, grouping: .course)
        try browser.performFetch()
        #expect(browser.outline == ["# Dessert", "Apple Pie", "Cake", "# Soup", "Broth"])
        #expect(browser.controller.sectionIndexTitles == ["D", "S"])
        #expect(browser.controller.indexPath(forObject: try recipe("Broth")) == IndexPath(indexes: [1, 0]))
        #expect(browser.recipe(at: IndexPath(indexes: [0, 1])).name == "Cake")
    }

    @Test("A list is divided by a transient attribute")
    func initials() throws {
        context.reset()
        let browser = RecipeBrowser(context, grouping: .initial)
        try browser.performFetch()
        #expect(browser.outline == ["# A", "Apple Pie", "# B", "Broth", "# C", "Cake"])
    }

    @Test("A table is notified of insertions, deletions, updates and moves")
    func changes() throws {
        let browser = RecipeBrowser(context, grouping: .course)
        try browser.performFetch()
        try recipe("Cake").rating = 5
        try context.save()
        #expect(browser.changes == [.update(IndexPath(indexes: [0, 1]))])
        try recipe("Cake").name = "Almond Cake"
        context.processPendingChanges()
        #expect(browser.changes == [.move(IndexPath(indexes: [0, 1]), IndexPath(indexes: [0, 0]))])
        try recipe("Apple Pie").course = try Course.named("Soup", in: context)
        context.processPendingChanges()
        #expect(browser.changes == [.move(IndexPath(indexes: [0, 1]), IndexPath(indexes: [1, 0]))])
        context.delete(try recipe("Almond Cake"))
        context.processPendingChanges()
        #expect(browser.changes == [.deleteSection(0), .delete(IndexPath(indexes: [0, 0]))])
        try makeRecipe("Bread", course: "Breakfast", in: context)
        context.processPendingChanges()
        #expect(browser.changes == [.insertSection(0), .insert(IndexPath(indexes: [0, 0]))])
        #expect(browser.outline == ["# Breakfast", "Bread", "# Soup", "Apple Pie", "Broth"])
        #expect(!browser.isChanging)
    }

    @Test("A list without sections is notified of differences, from IDs to IDs")
    func differences() throws {
        let favorites = FavoritesList(context)
        try favorites.performFetch()
        #expect(favorites.names == ["Cake", "Apple Pie"])
        try recipe("Apple Pie").rating = 5
        try context.save()
        #expect(favorites.names == ["Apple Pie", "Cake"])
        let broth = try recipe("Broth")
        broth.rating = 4.5
        broth.isFavorite = true
        try recipe("Cake").isFavorite = false
        try context.save()
        #expect(favorites.names == ["Apple Pie", "Broth"])
        #expect(favorites.differences == 2)
    }

    @Test("A list shows what a background task saved")
    func backgroundChanges() async throws {
        let browser = RecipeBrowser(context, grouping: .course)
        try browser.performFetch()
        try await container.performBackgroundTask { context in
            try makeRecipe("Salad", course: "Starter", in: context)
            try context.save()
        }
        await context.perform {}
        #expect(browser.outline == ["# Dessert", "Apple Pie", "Cake", "# Soup", "Broth", "# Starter", "Salad"])
    }

    @Test("A list is kept to what a predicate asks for, also when values change")
    func filtered() throws {
        let browser = RecipeBrowser(context, grouping: .none, predicate: NSPredicate(format: "rating >= 3"))
        try browser.performFetch()
        #expect(browser.outline == ["# ", "Apple Pie", "Cake"])
        try recipe("Broth").rating = 5
        context.processPendingChanges()
        #expect(browser.changes == [.insert(IndexPath(indexes: [0, 1]))])
        try recipe("Apple Pie").isFavorite = false
        try recipe("Apple Pie").rating = 1
        context.processPendingChanges()
        #expect(browser.outline == ["# ", "Broth", "Cake"])
    }

    @Test("A search puts its conditions together")
    func search() throws {
        func names(_ change: (inout RecipeSearch) -> Void) throws -> [String?] {
            var search = RecipeSearch()
            change(&search)
            let found = try search.run(in: context)
            #expect(try search.count(in: context) == found.count)
            return found.map(\.name)
        }
        #expect(try names { _ in } == ["Apple Pie", "Broth", "Cake"])
        #expect(try names { $0.text = "CÀKE" } == ["Cake"])
        #expect(try names { $0.text = "app" } == ["Apple Pie"])
        #expect(try names { $0.text = "bone" } == ["Broth"])
        let dessert = try Course.named("Dessert", in: context)
        #expect(try names { $0.course = dessert } == ["Apple Pie", "Cake"])
        #expect(try names { $0.maximumMinutes = 60 } == ["Apple Pie", "Cake"])
        #expect(try names { $0.ingredients = ["flour", "SUGAR"] } == ["Cake"])
        #expect(try names { $0.onlyFavorites = true } == ["Apple Pie", "Cake"])
        try recipe("Broth").level = .hard
        #expect(try names { $0.levels = [.hard, .medium] } == ["Broth"])
        #expect(try names { ($0.course, $0.maximumMinutes, $0.onlyFavorites) = (dessert, 50, true) } == ["Apple Pie"])
    }

    @Test("A request of the model file takes its variables")
    func template() throws {
        #expect(try RecipeSearch.quickRecipes(within: 60, in: context).map(\.name) == ["Apple Pie", "Cake"])
        #expect(try RecipeSearch.quickRecipes(within: 45, in: context).map(\.name) == ["Apple Pie"])
    }

    @Test("Pages follow each other")
    func pages() throws {
        let all = try (0..<3).flatMap { try RecipeSearch.page($0, size: 2, in: context) }
        #expect(all.count == 3)
        #expect(Set(all).count == 3)
        #expect(try RecipeSearch.page(1, size: 2, in: context).count == 1)
    }

    @Test("A search in the background hands over what it found")
    func asynchronousSearch() async throws {
        let names: [String] = try await withCheckedThrowingContinuation { continuation in
            do {
                try RecipeSearch(text: "Cake").run(in: context) { recipes in
                    continuation.resume(returning: recipes.compactMap(\.name))
                }
            } catch {
                continuation.resume(throwing: error)
            }
        }
        #expect(names == ["Cake"])
    }

    @Test("The store counts, sums and takes averages by groups")
    func statistics() throws {
        let statistics = CookbookStatistics(context)
        #expect(
            try statistics.courses() == [
                .init(course: "Dessert", recipes: 2, averageRating: 3.5, longest: 60),
                .init(course: "Soup", recipes: 1, averageRating: 2, longest: 90),
            ])
        #expect(try statistics.totalMinutes() == 195)
        #expect(try statistics.ingredientNames() == ["Apples", "Bones", "Flour", "Sugar"])
        #expect(try statistics.numberOfRecipes() == 3)
        #expect(statistics.averageRating(of: try Course.named("Dessert", in: context)) == 3.5)
    }

    @Test("A batch update notifies the screen of each object")
    func batchUpdates() async throws {
        let (cake, pie) = (try recipe("Cake"), try recipe("Apple Pie"))
        let maintenance = CookbookMaintenance(container)
        #expect(try await maintenance.removeStars(below: 3.5) == 1)
        #expect(cake.isFavorite)
        #expect(!pie.isFavorite)
        #expect(try await maintenance.addMinutes(5, toCourse: "Dessert") == 2)
        #expect(cake.preparationMinutes == 65)
        #expect(pie.preparationMinutes == 50)
        #expect(!context.hasChanges)
    }

    @Test("A deletion of many takes the objects from the screen")
    func batchDeletions() async throws {
        let cake = try recipe("Cake")
        try ShoppingList(context).add(cake)
        let flour = try #require(try ShoppingList(context).items().first)
        flour.isDone = true
        try context.save()
        let browser = RecipeBrowser(context, grouping: .none)
        try browser.performFetch()
        let maintenance = CookbookMaintenance(container)
        try await maintenance.clearShoppingList()
        #expect(try ShoppingList(context).items().map(\.name) == ["Sugar"])
        try await maintenance.delete(identifiedBy: [cake.objectID])
        #expect(browser.outline == ["# ", "Apple Pie", "Broth"])
        #expect(try Recipe.count(in: context) == 2)
    }

    @Test("A deletion one by one heeds the rules")
    func deletions() async throws {
        try await CookbookMaintenance(container).deleteRecipes(ofCourse: "Dessert")
        await context.perform {}
        #expect(try Recipe.fetch(in: context).map(\.name) == ["Broth"])
        #expect(try CookbookStatistics(context).ingredientNames() == ["Bones"])
        #expect(try Course.named("Dessert", in: context).recipes?.count == 0)
    }
}
