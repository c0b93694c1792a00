import CoreData
import Foundation
import Testing

@MainActor
private struct PersistenceController {
    static let preview: PersistenceController = {
        let result = PersistenceController(inMemory: true)
        let viewContext = result.container.viewContext
        for _ in 0..<10 {
            let newItem = Item(context: viewContext)
            newItem.timestamp = Date()
        }
        do {
            try viewContext.save()
        } catch {
            let nsError = error as NSError
            fatalError("Unresolved error \(nsError), \(nsError.userInfo)")
        }
        return result
    }()

    let container: NSPersistentContainer

    init(inMemory: Bool = false) {
        container = NSPersistentContainer(name: "Notes", managedObjectModel: Notes.model)
        if inMemory {
            container.persistentStoreDescriptions.first!.url = URL(fileURLWithPath: "/dev/null")
        }
        container.loadPersistentStores(completionHandler: { (storeDescription, error) in
            if let error = error as NSError? {
                fatalError("Unresolved error \(error), \(error.userInfo)")
            }
        })
        container.viewContext.automaticallyMergesChangesFromParent = true
    }
}

@Suite("L4-a: a preview in memory") @MainActor
struct L4aPersistence {
    @Test("Ten items, and no file of them")
    func preview() throws {
        let context = PersistenceController.preview.container.viewContext
        let request = NSFetchRequest<Item>(entityName: "Item")
        request.sortDescriptors = [NSSortDescriptor(keyPath: \Item.timestamp, ascending: true)]
        let items = try context.fetch(request)
        #expect(items.count == 10)
        #expect(items.allSatisfy { $0.timestamp != nil })
        #expect(!FileManager.default.fileExists(atPath: "/dev/null-wal"))
        let store = try #require(context.persistentStoreCoordinator?.persistentStores.first)
        #expect(store.type == NSSQLiteStoreType)
        #expect(store.url?.path == "/dev/null")

        let other = PersistenceController(inMemory: true).container.viewContext
        #expect(try other.count(for: request) == 0)
    }
}
