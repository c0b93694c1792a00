import CoreData
import Foundation

/// The one set of stores that the app works with.
struct PersistenceController: Sendable {
    static let shared = PersistenceController()

    /// Stores with examples, which keep nothing.
    static let preview: PersistenceController = {
        let controller = PersistenceController(inMemory: true)
        let context = controller.container.viewContext
        for (index, name) in ["Crêpes Suzette", "Ginger Snaps", "Tarte aux Fraises"].enumerated() {
            let recipe = Recipe(context: context)
            recipe.name = name
            recipe.preparationMinutes = Int32(20 + 25 * index)
            recipe.rating = Double(index + 2)
            recipe.level = Difficulty.allCases[index]
            let ingredient = Ingredient(context: context)
            ingredient.name = "Sugar"
            ingredient.measure = Quantity(value: 50, unit: "g")
            recipe.addToIngredients(ingredient)
        }
        do {
            try context.save()
        } catch {
            let error = error as NSError
            fatalError("Unresolved error \(error), \(error.userInfo)")
        }
        return controller
    }()

    let container: RecipesContainer

    init(inMemory: Bool = false) {
        container = RecipesContainer(inMemory: inMemory)
        do {
            try container.loadStores()
        } catch {
            // An app that ships tells its users; there is nothing to show without stores.
            let error = error as NSError
            fatalError("Unresolved error \(error), \(error.userInfo)")
        }
    }

    /// Saves what was changed on the screen, if anything was.
    func save() throws {
        let context = container.viewContext
        guard context.hasChanges else { return }
        do {
            try context.save()
        } catch {
            context.rollback()
            throw error
        }
    }
}
