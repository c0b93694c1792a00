import CoreData
import Foundation

/// How a store of an earlier version comes to the current one.
///
/// Version 2 has the old attributes and the new ones, and a stage's handler fills the new ones; version 3 is without the old. What the
/// handlers see are objects of versions that no class fits, so they are read and written by key.
enum RecipesMigration {
    static func manager() -> NSStagedMigrationManager {
        let (first, second, third) = (reference(.version1), reference(.version2), reference(.version3))
        let expansion = NSCustomMigrationStage(migratingFrom: first, to: second)
        expansion.label = "Adds minutes, identifiers, an order of ingredients, and data of images"
        expansion.didMigrateHandler = { manager, _ in
            guard let container = manager.container else { return }
            let context = container.newBackgroundContext()
            try context.performAndWait {
                try fillRecipes(in: context)
                try fillImages(in: context)
                try context.save()
            }
        }
        let contraction = NSLightweightMigrationStage([second.versionChecksum, third.versionChecksum])
        contraction.label = "Removes what was replaced"
        return NSStagedMigrationManager([expansion, contraction])
    }

    private static func reference(_ version: RecipesModel) -> NSManagedObjectModelReference {
        let model = version == .current ? RecipesModel.shared : version.model()
        return NSManagedObjectModelReference(model: model, versionChecksum: model.versionChecksum)
    }

    private static func fillRecipes(in context: NSManagedObjectContext) throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Recipe")
        request.predicate = NSPredicate(format: "identifier == nil")
        request.relationshipKeyPathsForPrefetching = ["ingredients"]
        for recipe in try context.fetch(request) {
            recipe.setValue(UUID(), forKey: "identifier")
            let minutes = (recipe.value(forKey: "prepTime") as? String).flatMap(PreparationTime.minutes)
            recipe.setValue(minutes ?? 0, forKey: "preparationMinutes")
            let ingredients = recipe.mutableOrderedSetValue(forKey: "ingredients")
            ingredients.sort(using: [NSSortDescriptor(key: "displayOrder", ascending: true)])
        }
    }

    private static func fillImages(in context: NSManagedObjectContext) throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Image")
        request.predicate = NSPredicate(format: "data == nil AND image != nil")
        for image in try context.fetch(request) {
            image.setValue((image.value(forKey: "image") as? Picture)?.jpegData, forKey: "data")
        }
    }
}
