import CoreData
import Foundation
import Testing

@testable import CoreDataSample

@MainActor
struct EditingTests {
    let container: RecipesContainer
    let cake: Recipe
    var context: NSManagedObjectContext { container.viewContext }

    init() throws {
        container = try makeContainer()
        cake = try makeRecipe("Cake", ingredients: ["Flour", "Sugar", "Eggs"], in: container.viewContext)
        try container.viewContext.save()
    }

    @Test("What is edited is kept at once")
    func saving() throws {
        let editor = try RecipeEditor(cake, in: context)
        editor.change("Rename") { $0.name = "Torte" }
        editor.addIngredient("Butter", Quantity(value: 50, unit: "g"), at: 1)
        #expect(cake.name == "Cake")
        #expect(!context.hasChanges)
        try editor.save()
        #expect(cake.name == "Torte")
        #expect(cake.orderedIngredients.map(\.name) == ["Flour", "Butter", "Sugar", "Eggs"])
        #expect(!editor.hasChanges)
        #expect(!context.hasChanges)
        let other = container.newBackgroundContext()
        #expect(try other.performAndWait { try Recipe.fetch(in: other).map(\.name) } == ["Torte"])
    }

    @Test("What is edited is given up at once")
    func cancelling() throws {
        let editor = try RecipeEditor(cake, in: context)
        editor.change("Rename") { $0.name = "Torte" }
        editor.removeIngredient(at: 0)
        #expect(editor.recipe.orderedIngredients.map(\.name) == ["Sugar", "Eggs"])
        editor.cancel()
        #expect(editor.recipe.name == "Cake")
        #expect(editor.recipe.orderedIngredients.map(\.name) == ["Flour", "Sugar", "Eggs"])
        #expect(!editor.hasChanges)
    }

    @Test("Steps are undone and done again, each with all its changes")
    func undoing() throws {
        let editor = try RecipeEditor(cake, in: context)
        #expect(!editor.canUndo)
        editor.change("Rename") { recipe in
            recipe.name = "Torte"
            recipe.overview = "A cake of layers"
        }
        editor.moveIngredient(from: 2, to: 0)
        editor.removeIngredient(at: 1)
        #expect(editor.recipe.orderedIngredients.map(\.name) == ["Eggs", "Sugar"])
        #expect(editor.undoMenuItemTitle == "Undo Remove Ingredient")
        editor.undo()
        #expect(editor.recipe.orderedIngredients.map(\.name) == ["Eggs", "Flour", "Sugar"])
        editor.undo()
        #expect(editor.recipe.orderedIngredients.map(\.name) == ["Flour", "Sugar", "Eggs"])
        #expect(editor.recipe.name == "Torte")
        editor.undo()
        #expect(editor.recipe.name == "Cake")
        #expect(editor.recipe.overview == nil)
        #expect(!editor.canUndo)
        editor.redo()
        editor.redo()
        #expect(editor.recipe.overview == "A cake of layers")
        #expect(editor.recipe.orderedIngredients.map(\.name) == ["Eggs", "Flour", "Sugar"])
        #expect(editor.canRedo)
        try editor.save()
        #expect(cake.orderedIngredients.map(\.name) == ["Eggs", "Flour", "Sugar"])
    }

    @Test("A new recipe comes to the list when the editor saves")
    func newRecipe() throws {
        let browser = RecipeBrowser(context, grouping: .none)
        try browser.performFetch()
        let editor = try RecipeEditor(nil, in: context)
        editor.change("Name") { $0.name = "Bread" }
        #expect(browser.outline == ["# ", "Cake"])
        try editor.save()
        #expect(browser.outline == ["# ", "Bread", "Cake"])
        #expect(try Recipe.count(in: context) == 2)
    }

    @Test("An editor whose recipe breaks a rule saves nothing")
    func invalid() throws {
        let editor = try RecipeEditor(cake, in: context)
        editor.change("Name") { $0.name = "" }
        let error = try #require(caught { try editor.save() })
        #expect(ErrorPresenter().message(for: error).title != "The change could not be saved.")
        #expect(cake.name == "Cake")
        #expect(editor.hasChanges)
    }
}
