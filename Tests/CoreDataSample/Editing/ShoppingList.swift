import CoreData
import Foundation

/// What is to be bought.
///
/// The list is in a store of its own, which no relationship leads into or out of: items know the ingredients of their name by a fetched
/// property.
struct ShoppingList {
    let context: NSManagedObjectContext

    init(_ context: NSManagedObjectContext) { self.context = context }

    /// Puts the ingredients of a recipe on the list.
    func add(_ recipe: Recipe) throws {
        for ingredient in recipe.orderedIngredients {
            guard let name = ingredient.name else { continue }
            let item = try ShoppingItem.findOrCreate(in: context, matching: NSPredicate(format: "name == %@", name)) { item in
                item.name = name
                item.addedAt = Date()
            }
            item.isDone = false
            item.amount = [item.amount, ingredient.shoppingAmount].compactMap { $0 }.joined(separator: ", ")
        }
        try context.save()
    }

    func items() throws -> [ShoppingItem] {
        try ShoppingItem.fetch(in: context)
    }

    /// What the list costs, to the cent.
    func total() throws -> NSDecimalNumber {
        try items().compactMap(\.price).reduce(.zero) { $0.adding($1) }
    }

    /// The recipes that an item is for.
    func recipes(for item: ShoppingItem) -> [Recipe] {
        let ingredients = item.value(forKey: "ingredients") as? [Ingredient] ?? []
        return ingredients.compactMap(\.recipe)
    }
}
