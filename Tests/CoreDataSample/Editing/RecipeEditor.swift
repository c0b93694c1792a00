import CoreData
import Foundation

/// Edits a recipe in a context of its own, so that all of it is kept or given up at once.
@MainActor
final class RecipeEditor {
    /// The scratchpad: its changes go to the context that it came of, and from there to the store.
    let context: NSManagedObjectContext
    let recipe: Recipe
    private let parent: NSManagedObjectContext

    /// Edits a recipe; a new one for nothing.
    init(_ recipe: Recipe?, in parent: NSManagedObjectContext) throws {
        self.parent = parent
        context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.parent = parent
        let undoManager = UndoManager()
        // A step is what ``change(_:_:)`` encloses, and not all that happens until the screen is drawn.
        undoManager.groupsByEvent = false
        context.undoManager = undoManager
        if let recipe {
            guard let own = try context.existingObject(with: recipe.objectID) as? Recipe else { throw CocoaError(.coreData) }
            self.recipe = own
        } else {
            self.recipe = Recipe(context: context)
        }
        // What is there in the beginning is not undone.
        context.processPendingChanges()
        context.undoManager?.removeAllActions()
    }

    var hasChanges: Bool { context.hasChanges }
    var canUndo: Bool { context.undoManager?.canUndo ?? false }
    var canRedo: Bool { context.undoManager?.canRedo ?? false }
    var undoMenuItemTitle: String { context.undoManager?.undoMenuItemTitle ?? "" }

    /// Makes changes that are undone together.
    func change(_ actionName: String, _ body: (Recipe) throws -> Void) rethrows {
        context.undoManager?.beginUndoGrouping()
        context.undoManager?.setActionName(actionName)
        defer {
            context.processPendingChanges()
            context.undoManager?.endUndoGrouping()
        }
        try body(recipe)
    }

    func addIngredient(_ name: String, _ measure: Quantity? = nil, at index: Int? = nil) {
        change("Add Ingredient") { recipe in
            let ingredient = Ingredient(context: context)
            ingredient.name = name
            ingredient.measure = measure
            recipe.insertIntoIngredients(ingredient, at: index ?? recipe.ingredients?.count ?? 0)
        }
    }

    func moveIngredient(from index: Int, to target: Int) {
        change("Move Ingredient") { recipe in
            recipe.mutableOrderedSetValue(forKey: "ingredients").moveObjects(at: IndexSet(integer: index), to: target)
        }
    }

    func removeIngredient(at index: Int) {
        change("Remove Ingredient") { recipe in
            let ingredient = recipe.orderedIngredients[index]
            recipe.removeFromIngredients(at: index)
            context.delete(ingredient)
        }
    }

    func undo() { context.undo() }

    func redo() { context.redo() }

    /// Brings the changes to the parent, and into the store.
    func save() throws {
        guard context.hasChanges else { return }
        try context.save()
        try parent.save()
    }

    /// Gives all changes up.
    func cancel() {
        context.rollback()
    }
}
