import CoreData
import Foundation

/// The versions of the model.
enum RecipesModel: String, CaseIterable {
    case version1 = "Recipes"
    case version2 = "Recipes 2"
    case version3 = "Recipes 3"

    static let current = version3

    /// The model of the current version: one object, since an entity's class belongs to one entity at a time.
    static let shared: NSManagedObjectModel = {
        guard let model = NSManagedObjectModel(contentsOf: url) else { fatalError("The model cannot be read.") }
        return model
    }()

    /// The folder with all versions.
    private static var url: URL {
        guard let url = Bundle.module.url(forResource: "Recipes", withExtension: "momd") else {
            fatalError("The model is not among the resources.")
        }
        return url
    }

    /// The model of the version.
    func model() -> NSManagedObjectModel {
        guard let model = NSManagedObjectModel(contentsOf: Self.url.appendingPathComponent("\(rawValue).mom")) else {
            fatalError("The model has no version \(rawValue).")
        }
        return model
    }

    /// The model of the version with the entities of the cookbook alone, as its store has them.
    func cookbookModel() -> NSManagedObjectModel {
        let model = model()
        let entities = model.entities(forConfigurationName: "Cookbook") ?? []
        for configuration in model.configurations where configuration != "Cookbook" {
            model.setEntities([], forConfigurationName: configuration)
        }
        model.entities = entities
        return model
    }

    /// The version after this one.
    var successor: RecipesModel? {
        switch self {
        case .version1: .version2
        case .version2: .version3
        case .version3: nil
        }
    }

    /// The version that a store was made with; `nil` where there is no store, or one of another model.
    static func version(ofStoreAt url: URL, type: NSPersistentStore.StoreType = .sqlite) -> RecipesModel? {
        guard let metadata = try? NSPersistentStoreCoordinator.metadataForPersistentStore(type: type, at: url) else { return nil }
        return allCases.first { version in
            version.model().isConfiguration(withName: "Cookbook", compatibleWithStoreMetadata: metadata)
        }
    }
}
