import Foundation
import StrataCoordinator
import StrataModel
import StrataStore

/// Opens the store of a staged migration for a handler.
struct StagedContainer: Sendable {
    /// The option that opens a store during its stages.
    static let option = "StrataStagedMigrationOption"

    private let type: String
    private let path: String?
    private let store: StoreDescription
    // Never changed, and its contents are only read.
    nonisolated(unsafe) private let options: [String: NSObject]

    init(_ description: StoreDescription, _ options: [AnyHashable: Any]) {
        type = description.driver.type.rawValue
        path = description.path
        store = description
        var own: [String: NSObject] = [:]
        for (key, value) in options { if let key = key.base as? String, let value = value as? NSObject { own[key] = value } }
        own[NSPersistentStoreStagedMigrationManagerOptionKey] = nil
        own[NSMigratePersistentStoresAutomaticallyOption] = NSNumber(value: false)
        own[StagedContainer.option] = NSNumber(value: true)
        unsafe self.options = own
    }

    /// Sets a manager's container to one over the store with a model while a handler runs.
    ///
    /// - Throws: An `NSError` with `NSMigrationError` and the error of the handler or of opening the store.
    func with(_ model: NSManagedObjectModel, of manager: NSStagedMigrationManager, _ body: () throws -> Void) throws {
        let url = path.map { URL(fileURLWithPath: $0) }
        let container = NSPersistentContainer(name: url?.deletingPathExtension().lastPathComponent ?? "", managedObjectModel: model)
        let description = NSPersistentStoreDescription()
        description.type = type
        description.url = url
        description.configuration = try configuration(with: model)
        for key in description.options.keys { description.setOption(nil, forKey: key) }
        for (key, value) in unsafe options { description.setOption(value, forKey: key) }
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        container.loadPersistentStores { _, error in failure = error }
        defer {
            let coordinator = container.persistentStoreCoordinator
            for store in coordinator.persistentStores { try? coordinator.remove(store) }
        }
        do {
            if let failure { throw failure }
            manager.container = container
            defer { manager.container = nil }
            try body()
        } catch { throw MigrationErrors.failed(url, error) }
    }

    /// Returns the configuration for opening the store with a model.
    private func configuration(with model: NSManagedObjectModel) throws -> String? {
        try store.passing(model.compiled(), store.driver.metadata(at: store.location)).configuration
    }
}
