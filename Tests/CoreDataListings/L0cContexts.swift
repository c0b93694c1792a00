import CoreData
import Foundation
import Testing

@Suite("L0-c: a second context, over a coordinator or a parent") @MainActor
struct L0cContexts {
    @Test("A context with the coordinator saves to the store", arguments: StoreKind.allCases)
    func coordinator(_ kind: StoreKind) throws {
        let stack = try Stack(Users.model, kind)
        let context = NSManagedObjectContext(.mainQueue)
        context.persistentStoreCoordinator = stack.container.persistentStoreCoordinator
        let user = User(context: context)
        user.name = "张三"
        try context.save()
        #expect(try Users.all(stack.context).map(\.name) == ["张三"])
    }

    @Test("A child saves to its parent, and the parent to the store", arguments: StoreKind.allCases)
    func parent(_ kind: StoreKind) throws {
        let stack = try Stack(Users.model, kind)
        let child = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        child.parent = stack.context
        #expect(child.persistentStoreCoordinator === stack.container.persistentStoreCoordinator)
        let user = User(context: child)
        user.name = "张三"
        #expect(try Users.all(stack.context).isEmpty)
        try child.save()
        #expect(try Users.all(stack.context).map(\.name) == ["张三"])
        #expect(stack.context.hasChanges)
        let other = stack.container.newBackgroundContext()
        #expect(try other.performAndWait { try Users.count(other) } == 0)
        try stack.context.save()
        #expect(try other.performAndWait { try Users.count(other) } == 1)
    }

    @Test("One object can wait in another context while the first is saved", arguments: StoreKind.allCases)
    func separate(_ kind: StoreKind) throws {
        let stack = try Stack(Notes.model, kind)
        _ = NSEntityDescription.insertNewObject(forEntityName: "Note", into: stack.context)
        let other = NSManagedObjectContext(.mainQueue)
        other.persistentStoreCoordinator = stack.container.persistentStoreCoordinator
        let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: other)
        note.setValue("a text", forKey: "content")
        try other.save()
        #expect(throws: (any Error).self) { try stack.context.save() }
    }

    @Test("Data that a context of any make saves is there", arguments: StoreKind.allCases)
    func data(_ kind: StoreKind) throws {
        let stack = try Stack(Notes.model, kind)
        let background = stack.container.newBackgroundContext()
        let own = NSManagedObjectContext(.privateQueue)
        own.persistentStoreCoordinator = stack.container.persistentStoreCoordinator
        for (context, text) in [(background, "background"), (own, "own")] {
            try context.performAndWait {
                let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
                note.setValue(text, forKey: "content")
                note.setValue(Data(text.utf8), forKey: "picture")
                try context.save()
            }
        }
        let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
        request.sortDescriptors = [NSSortDescriptor(key: "content", ascending: true)]
        let pictures = try stack.context.fetch(request).map { $0.value(forKey: "picture") as? Data }
        #expect(pictures == [Data("background".utf8), Data("own".utf8)])
    }

    @Test("A context with neither saves nothing")
    func neither() throws {
        let context = NSManagedObjectContext(.mainQueue)
        #expect(context.persistentStoreCoordinator == nil)
        #expect(context.parent == nil)
        #expect(!context.hasChanges)
        try context.save()
    }

    @Test("Both end the program")
    func both() async {
        await #expect(processExitsWith: .failure) {
            await MainActor.run {
                let container = NSPersistentContainer(name: "Users", managedObjectModel: Users.model)
                let context = NSManagedObjectContext(.mainQueue)
                context.persistentStoreCoordinator = container.persistentStoreCoordinator
                context.parent = container.viewContext
            }
        }
        await #expect(processExitsWith: .failure) {
            await MainActor.run {
                let container = NSPersistentContainer(name: "Users", managedObjectModel: Users.model)
                let context = NSManagedObjectContext(.mainQueue)
                context.parent = container.viewContext
                context.persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: Users.model)
            }
        }
    }
}
