import CoreData
import Foundation

/// A temporary folder, which is removed with the value.
final class Folder: Sendable {
    let url: URL

    init() throws { url = try Stack.makeFolder() }

    deinit { try? FileManager.default.removeItem(at: url) }
}

/// A container with one store in a folder of its own, which goes with it.
@MainActor
final class Stack {
    let folder: URL
    let container: NSPersistentContainer

    init(_ model: NSManagedObjectModel, _ kind: StoreKind = .sqlite) throws {
        folder = try Stack.makeFolder()
        container = try Stack.open(model, kind, in: folder)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    var context: NSManagedObjectContext { container.viewContext }

    /// The same store once more, with nothing in memory.
    func reopened(_ kind: StoreKind) throws -> NSPersistentContainer {
        for store in container.persistentStoreCoordinator.persistentStores { try container.persistentStoreCoordinator.remove(store) }
        return try Stack.open(container.managedObjectModel, kind, in: folder)
    }

    nonisolated static func makeFolder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString, isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    private static func open(_ model: NSManagedObjectModel, _ kind: StoreKind, in folder: URL) throws -> NSPersistentContainer {
        let container = NSPersistentContainer(name: "Listing", managedObjectModel: model)
        let description = NSPersistentStoreDescription(url: folder.appendingPathComponent("Listing.store"))
        description.type = kind.type
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        container.loadPersistentStores { _, error in failure = error }
        if let failure { throw failure }
        return container
    }
}
