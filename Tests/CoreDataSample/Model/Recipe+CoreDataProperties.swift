import CoreData
import Foundation

extension Recipe {
    @nonobjc public class func fetchRequest() -> NSFetchRequest<Recipe> {
        return NSFetchRequest<Recipe>(entityName: "Recipe")
    }

    @NSManaged public private(set) var canonicalName: String?
    @NSManaged public var createdAt: Date?
    @NSManaged public var difficulty: Int16
    @NSManaged public private(set) var editedAt: Date?
    @NSManaged public var identifier: UUID?
    @NSManaged public private(set) var ingredientCount: Int64
    @NSManaged public private(set) var initial: String?
    @NSManaged public var instructions: String?
    @NSManaged public var isFavorite: Bool
    @NSManaged public var name: String?
    @NSManaged public var overview: String?
    @NSManaged public var preparationMinutes: Int32
    @NSManaged public var rating: Double
    @NSManaged public private(set) var savedAt: Date?
    @NSManaged public var tags: [String]?
    @NSManaged public var thumbnailImage: Picture?
    @NSManaged public var course: Course?
    @NSManaged public var image: RecipeImage?
    @NSManaged public var ingredients: NSOrderedSet?
    @NSManaged public var source: Source?
}

// MARK: Generated accessors for ingredients
extension Recipe {
    @NSManaged public func insertIntoIngredients(_ value: Ingredient, at idx: Int)
    @NSManaged public func removeFromIngredients(at idx: Int)
    @NSManaged public func insertIntoIngredients(_ values: [Ingredient], at indexes: NSIndexSet)
    @NSManaged public func removeFromIngredients(at indexes: NSIndexSet)
    @NSManaged public func replaceIngredients(at idx: Int, with value: Ingredient)
    @NSManaged public func replaceIngredients(at indexes: NSIndexSet, with values: [Ingredient])
    @NSManaged public func addToIngredients(_ value: Ingredient)
    @NSManaged public func removeFromIngredients(_ value: Ingredient)
    @NSManaged public func addToIngredients(_ values: NSOrderedSet)
    @NSManaged public func removeFromIngredients(_ values: NSOrderedSet)
}

extension Recipe: Identifiable {}
