import CoreData
import Foundation
import Testing

@testable import CoreDataSample

@MainActor
struct ObjectTests {
    let folder: TestFolder
    let container: RecipesContainer
    var context: NSManagedObjectContext { container.viewContext }

    init() throws {
        folder = try TestFolder()
        container = try makeContainer(in: folder)
    }

    /// What another run of the app finds.
    private func reopened() throws -> NSManagedObjectContext {
        let other = try makeContainer(in: folder).viewContext
        #expect(other.persistentStoreCoordinator !== context.persistentStoreCoordinator)
        return other
    }

    private func theRecipe(in context: NSManagedObjectContext) throws -> Recipe {
        try #require(try Recipe.fetch(in: context).first)
    }

    @Test("A new recipe has an identifier, a date and the defaults of the model")
    func newRecipe() {
        let recipe = Recipe(context: context)
        #expect(recipe.identifier != nil)
        #expect(recipe.createdAt != nil)
        #expect(recipe.name == "Untitled")
        #expect(recipe.level == .easy)
        #expect(recipe.objectID.isTemporaryID)
        #expect(recipe.isInserted)
    }

    @Test("A raw value represents a case")
    func rawValues() throws {
        let recipe = try makeRecipe("Cake", in: context)
        recipe.level = .hard
        #expect(recipe.difficulty == 2)
        #expect(recipe.value(forKey: "difficulty") as? Int16 == 2)
        try context.save()
        #expect(try theRecipe(in: reopened()).level == .hard)
    }

    @Test("Ingredients are inserted, replaced and removed at their places")
    func orderedAccessors() throws {
        let recipe = try makeRecipe("Cake", ingredients: ["Flour", "Sugar", "Eggs"], in: context)
        let butter = Ingredient(context: context)
        butter.name = "Butter"
        recipe.insertIntoIngredients(butter, at: 1)
        #expect(recipe.orderedIngredients.map(\.name) == ["Flour", "Butter", "Sugar", "Eggs"])
        recipe.removeFromIngredients(at: 0)
        let milk = Ingredient(context: context)
        milk.name = "Milk"
        recipe.replaceIngredients(at: 2, with: milk)
        #expect(recipe.orderedIngredients.map(\.name) == ["Butter", "Sugar", "Milk"])
        recipe.removeFromIngredients(NSOrderedSet(array: [butter]))
        try context.save()
        #expect(try theRecipe(in: reopened()).orderedIngredients.map(\.name) == ["Sugar", "Milk"])
        #expect(butter.recipe == nil)
    }

    @Test("Both sides of a relationship know each other")
    func inverses() throws {
        let course = try Course.named("Dessert", in: context)
        let (cake, pie) = (try makeRecipe("Cake", in: context), try makeRecipe("Pie", in: context))
        course.addToRecipes(NSSet(array: [cake, pie]))
        #expect(cake.course == course)
        course.removeFromRecipes(pie)
        #expect(pie.course == nil)
        cake.course = nil
        #expect(course.recipes?.count == 0)
    }

    @Test("Pictures and lists of texts are values of transformable attributes")
    func transformables() throws {
        let picture = try #require(Picture(jpegData: Data([0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3])))
        let recipe = try makeRecipe("Cake", in: context)
        recipe.thumbnailImage = picture
        recipe.tags = ["sweet", "für Gäste"]
        try context.save()
        let other = try theRecipe(in: reopened())
        #expect(other.thumbnailImage == picture)
        #expect(other.tags == ["sweet", "für Gäste"])
        #expect(Picture(jpegData: Data([1, 2])) == nil)
    }

    @Test("The store derives values, which are there after a save and a refresh")
    func derivedAttributes() throws {
        let start = Date()
        let recipe = try makeRecipe("CRÊPES Suzette", course: "Dessert", ingredients: ["Milk", "Flour"], in: context)
        try context.save()
        context.refreshAllObjects()
        #expect(recipe.canonicalName == "crepes suzette")
        #expect(recipe.ingredientCount == 2)
        #expect(recipe.course?.recipeCount == 1)
        let savedAt = try #require(recipe.savedAt)
        #expect(savedAt >= start.addingTimeInterval(-1))
    }

    @Test("A composite attribute is a dictionary, and its elements are asked for by key path")
    func compositeAttribute() throws {
        let recipe = try makeRecipe("Cake", ingredients: ["Flour", "Salt"], in: context)
        recipe.orderedIngredients[0].measure = Quantity(value: 200, unit: "g")
        #expect(recipe.orderedIngredients[0].quantity?["value"] as? Double == 200)
        try context.save()
        let other = try theRecipe(in: reopened())
        #expect(other.orderedIngredients[0].measure == Quantity(value: 200, unit: "g"))
        #expect(other.orderedIngredients[1].measure == nil)
        #expect(other.orderedIngredients[0].measure(times: 1.5)?.description == "300 g")
        let request: NSFetchRequest<Ingredient> = Ingredient.fetchRequest()
        request.predicate = NSPredicate(format: "quantity.unit == %@ AND quantity.value > 100", "g")
        #expect(try context.fetch(request).map(\.name) == ["Flour"])
    }

    @Test("Large data is kept in a file of its own")
    func externalData() throws {
        let recipe = try makeRecipe("Cake", in: context)
        let data = Data(repeating: 0x5A, count: 2_000_000)
        recipe.image = RecipeImage(context: context)
        recipe.image?.data = data
        try context.save()
        let size = try FileManager.default.attributesOfItem(atPath: folder.cookbook.path)[.size] as? Int ?? 0
        #expect(size < data.count)
        #expect(try theRecipe(in: reopened()).image?.data == data)
        context.delete(recipe)
        try context.save()
        #expect(try context.count(for: RecipeImage.fetchRequest() as NSFetchRequest<RecipeImage>) == 0)
    }

    @Test("A fetched property finds the other recipes of the course")
    func fetchedProperty() throws {
        let cake = try makeRecipe("Cake", course: "Dessert", in: context)
        try makeRecipe("Pie", course: "Dessert", in: context)
        try makeRecipe("Broth", course: "Soup", in: context)
        try context.save()
        #expect(cake.alternatives.map(\.name) == ["Pie"])
        try makeRecipe("Tart", course: "Dessert", in: context)
        try context.save()
        context.refresh(cake, mergeChanges: true)
        #expect(Set(cake.alternatives.map(\.name)) == ["Pie", "Tart"])
    }

    @Test("A fetch of sources gives books and sites")
    func inheritance() throws {
        let book = Book(context: context)
        book.title = "The Baker's Year"
        book.author = "A. Miller"
        let site = Website(context: context)
        site.title = "Kitchen Notes"
        site.url = URL(string: "https://example.com/notes")
        let cake = try makeRecipe("Cake", in: context)
        cake.source = site
        try context.save()
        let request: NSFetchRequest<Source> = Source.fetchRequest()
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        #expect(try context.fetch(request) == [site, book])
        #expect(try theRecipe(in: reopened()).source is Website)
        #expect((try theRecipe(in: reopened()).source as? Website)?.url == site.url)
        request.predicate = NSPredicate(format: "ANY recipes.name == 'Cake'")
        #expect(try context.fetch(request) == [site])
    }

    @Test("A save dates the change, and only where there is one")
    func editedAt() throws {
        let recipe = try makeRecipe("Cake", in: context)
        #expect(recipe.editedAt == nil)
        try context.save()
        let first = try #require(recipe.editedAt)
        recipe.name = "Cake"
        try context.save()
        #expect(recipe.editedAt == first)
        recipe.name = "Pie"
        try context.save()
        let second = try #require(recipe.editedAt)
        #expect(second > first)
        #expect(!recipe.hasChanges)
        #expect(!context.hasChanges)
    }

    @Test("A transient attribute is made when a recipe is fetched, and no store has it")
    func transient() throws {
        try makeRecipe("éclair", in: context)
        try context.save()
        let other = try theRecipe(in: reopened())
        #expect(other.initial == "É")
        #expect(!other.hasChanges)
        #expect(other.changedValues().isEmpty)
    }

    @Test("Changes are known by key, with the values that the store has")
    func changedValues() throws {
        let recipe = try makeRecipe("Cake", minutes: 30, in: context)
        try context.save()
        recipe.preparationMinutes = 45
        #expect(recipe.changedValues()["preparationMinutes"] as? Int == 45)
        #expect(recipe.committedValues(forKeys: ["preparationMinutes"])["preparationMinutes"] as? Int == 30)
        #expect(recipe.preparationTime == "45 min")
        context.refresh(recipe, mergeChanges: false)
        #expect(recipe.preparationMinutes == 30)
    }
}
