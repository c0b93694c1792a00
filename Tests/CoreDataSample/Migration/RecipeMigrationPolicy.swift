import CoreData
import Foundation

/// Makes recipes of version 2 of those of version 1, in a migration by a mapping model.
final class RecipeMigrationPolicy: NSEntityMigrationPolicy {
    #if canImport(ObjectiveC)
        @objc(minutesOf:)
    #endif
    func minutes(of text: String?) -> NSNumber { NSNumber(value: text.flatMap(PreparationTime.minutes) ?? 0) }

    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
        guard let recipe = manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [sInstance]).first
        else { return }
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
