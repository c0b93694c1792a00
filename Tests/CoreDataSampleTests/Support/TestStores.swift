import CoreData
import Foundation

@testable import CoreDataSample

/// A folder for the stores of one test, which goes with it.
final class TestFolder {
    let url: URL
    /// The containers over its stores: a recipe does not keep its context, nor a context its container.
    fileprivate(set) var containers: [RecipesContainer] = []

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("recipes-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// The place of the cookbook.
    var cookbook: URL { url.appendingPathComponent("Recipes.sqlite") }
}

/// A container with open stores in a folder; ones that keep nothing where there is none.
func makeContainer(
    in folder: TestFolder? = nil, shoppingType: NSPersistentStore.StoreType = .sqlite
) throws -> RecipesContainer {
    let container = RecipesContainer(directory: folder?.url, inMemory: folder == nil, shoppingType: shoppingType)
    try container.loadStores()
    folder?.containers.append(container)
    return container
}

/// The feed that is among the app's resources.
func sampleFeed() throws -> Data {
    guard let url = RecipeFeed.sampleURL else { throw CocoaError(.fileNoSuchFile) }
    return try Data(contentsOf: url)
}

/// A recipe with what a test says of it.
@discardableResult
func makeRecipe(
    _ name: String, course: String? = nil, minutes: Int32 = 10, rating: Double = 0, isFavorite: Bool = false,
    ingredients: [String] = [], in context: NSManagedObjectContext
) throws -> Recipe {
    let recipe = Recipe(context: context)
    recipe.name = name
    recipe.preparationMinutes = minutes
    recipe.rating = rating
    recipe.isFavorite = isFavorite
    recipe.course = try course.map { try Course.named($0, in: context) }
    for name in ingredients {
        let ingredient = Ingredient(context: context)
        ingredient.name = name
        recipe.addToIngredients(ingredient)
    }
    return recipe
}

/// The error that a closure throws.
func caught(_ body: () throws -> Void) -> NSError? {
    do {
        try body()
        return nil
    } catch {
        return error as NSError
    }
}
