import Foundation
import StrataCoordinator
import StrataGraph
import StrataModel
import StrataStore

/// A store of a migration, as Core Data's clients name it.
struct MigratedLocation {
    let url: URL
    let type: String
    let options: [AnyHashable: Any]

    init(_ url: URL, _ type: String, _ options: [AnyHashable: Any]?) {
        self.url = url
        self.type = type
        self.options = options ?? [:]
    }

    /// Whether there is something already; a file without contents is no store yet.
    var exists: Bool {
        let size = try? FileManager.default.attributesOfItem(atPath: url.path)[.size] as? NSNumber
        return (size?.int64Value ?? 0) > 0
    }

    /// Whether the store is of a kind that can be copied, and brought to another version in place; those of registered classes are not.
    var isBuiltIn: Bool { MigratedLocation.builtInTypes.contains(type) }

    static let builtInTypes: Set<String> = [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType]

    /// The options, without those by which stores are migrated as they are opened.
    func openingOptions(isReadOnly: Bool) -> [AnyHashable: Any] {
        var options = options
        options[NSMigratePersistentStoresAutomaticallyOption] = nil
        options[NSPersistentStoreStagedMigrationManagerOptionKey] = nil
        if isReadOnly { options[NSReadOnlyPersistentStoreOption] = NSNumber(value: true) }
        return options
    }

    private func driver() throws -> any StoreDriver { try StoreKinds.driver(type, options) }

    /// Becomes a copy of another store of the kind.
    func takeCopy(of other: MigratedLocation) throws {
        do { try driver().replace(at: url.path, withStoreAt: other.url.path) } catch {
            throw cocoaError(NSMigrationManagerSourceStoreError, cocoaError(error), [:], path: other.url.path)
        }
    }

    /// Brings the store to another version of its model by what it can do itself.
    func migrateInPlace(
        by mapping: MappingModel, to model: NSManagedObjectModel, _ report: @escaping (Double) throws -> Void
    ) throws {
        // Called on this thread only.
        nonisolated(unsafe) let report = report
        do {
            var description = StoreDescription(try driver(), path: url.path)
            description.earlierModels = [mapping.source]
            description.migrationProgress = { unsafe try report($0.fractionCompleted) }
            try PersistentStoreCoordinator.migrateStore(description, to: try model.compiled(), mapping: mapping)
        } catch { throw cocoaError(error) }
    }

    /// Takes the place of another store, which was migrated to this one: its ID, and what an application keeps there.
    func takeMetadata(of other: MigratedLocation) throws {
        do {
            let old = try other.driver().metadata(at: other.url.path)
            var metadata = try driver().metadata(at: url.path)
            metadata.storeID = old.storeID
            let own = old.userInfo.filter { !StoreMetadata.ownKeys.contains($0.key) && !StoreMetadata.coreDataKeys.contains($0.key) }
            metadata.userInfo.merge(own) { $1 }
            try driver().setMetadata(metadata, at: url.path)
        } catch { throw cocoaError(error) }
    }

    func destroy() { try? driver().destroy(at: url.path) }
}
