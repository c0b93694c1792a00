import CoreData
import Foundation
import Testing

/// A store at the default place of a container's class, saved when there is something to save.
@MainActor
private final class DataManager {
    final class Container: NSPersistentContainer, @unchecked Sendable {
        nonisolated(unsafe) static var folder = FileManager.default.temporaryDirectory
        override class func defaultDirectoryURL() -> URL { folder }
    }

    private(set) var loads = 0
    private(set) var errors: [NSError] = []

    lazy var persistentContainer: NSPersistentContainer = {
        let container = Container(name: "Users", managedObjectModel: Users.model)
        container.loadPersistentStores { _, error in
            if let error = error as NSError? { fatalError("Unresolved error \(error), \(error.userInfo)") }
            self.loads += 1
        }
        return container
    }()

    func saveContext() {
        let context = persistentContainer.viewContext
        if context.hasChanges {
            do {
                try context.save()
            } catch {
                errors.append(error as NSError)
            }
        }
    }
}

@Suite("L0-a: a container by its name, and saveContext()") @MainActor
struct L0aContainer {
    @Test("The store is where the class says, and is saved when it is dirty")
    func saving() throws {
        let folder = try Stack.makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        DataManager.Container.folder = folder
        let manager = DataManager()
        let description = try #require(manager.persistentContainer.persistentStoreDescriptions.first)
        #expect(manager.persistentContainer.name == "Users")
        #expect(description.url?.lastPathComponent == "Users.sqlite")
        #expect(description.type == NSSQLiteStoreType)
        #expect(description.shouldMigrateStoreAutomatically)
        #expect(description.shouldInferMappingModelAutomatically)
        #expect(!description.shouldAddStoreAsynchronously)
        #expect(!description.isReadOnly)
        #expect(manager.loads == 1)
        #expect(FileManager.default.fileExists(atPath: folder.appendingPathComponent("Users.sqlite").path))

        let context = manager.persistentContainer.viewContext
        #expect(context.concurrencyType == .mainQueueConcurrencyType)
        #expect(!context.hasChanges)
        manager.saveContext()
        let user = User(context: context)
        user.id = "1"
        #expect(context.hasChanges)
        #expect(user.objectID.isTemporaryID)
        manager.saveContext()
        #expect(!context.hasChanges)
        #expect(!user.objectID.isTemporaryID)
        #expect(manager.errors.isEmpty)

        DataManager.Container.folder = folder
        let other = DataManager()
        #expect(try Users.all(other.persistentContainer.viewContext).map(\.id) == ["1"])
    }

    @Test("What keeps a save from being done is in the error's user info")
    func failing() throws {
        let stack = try Stack(Notes.model)
        let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: stack.context)
        do {
            try stack.context.save()
            Issue.record("a note without its text was saved")
        } catch let error as NSError {
            #expect(error.domain == NSCocoaErrorDomain)
            #expect(error.code == NSValidationMissingMandatoryPropertyError)
            #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "content")
            #expect(error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === note)
        }
        #expect(stack.context.hasChanges)
    }

    @Test("A store whose folder is a file cannot be loaded")
    func unreachable() throws {
        let folder = try Stack.makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("file")
        try Data("a file".utf8).write(to: file)
        let container = NSPersistentContainer(name: "Users", managedObjectModel: Users.model)
        container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: file.appendingPathComponent("Users.sqlite"))]
        var failure: NSError?
        container.loadPersistentStores { _, error in failure = error as NSError? }
        #expect(failure?.domain == NSCocoaErrorDomain)
        #expect(container.persistentStoreCoordinator.persistentStores.isEmpty)
    }
}
