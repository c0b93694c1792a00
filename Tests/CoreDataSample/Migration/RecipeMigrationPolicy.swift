import CoreData
import Foundation

/// Makes recipes of version 2 of those of version 1, in a migration by a mapping model.
final class RecipeMigrationPolicy: NSEntityMigrationPolicy {
    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
        guard let recipe = manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [sInstance]).first
        else { return }
        let minutes = (sInstance.value(forKey: "prepTime") as? String).flatMap(PreparationTime.minutes)
        recipe.setValue(minutes ?? 0, forKey: "preparationMinutes")
        recipe.setValue(UUID(), forKey: "identifier")
    }

    override func createRelationships(
        forDestination dInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try super.createRelationships(forDestination: dInstance, in: mapping, manager: manager)
        let ingredients = dInstance.mutableOrderedSetValue(forKey: "ingredients")
        ingredients.sort(using: [NSSortDescriptor(key: "displayOrder", ascending: true)])
    }
}
