import CoreData
import Foundation
import Testing

@Suite("L1-d: persistent changes, refreshing, missing rows, and files") @MainActor
struct L1dStateAndFiles {
    @Test("Only a difference from the store counts as a persistent change", arguments: StoreKind.allCases)
    func persistentChanges(_ kind: StoreKind) throws {
        let stack = try Stack(Users.model, kind)
        try Users.insert([Users.five[0]], into: stack.context)
        let user = try Users.all(stack.context)[0]
        #expect(!user.hasPersistentChangedValues)
        user.name = user.name
        #expect(user.hasChanges)
        #expect(!user.hasPersistentChangedValues)
        user.name = "李四"
        #expect(user.hasPersistentChangedValues)
        user.name = "张三"
        #expect(!user.hasPersistentChangedValues)
    }

    @Test("Refreshing all keeps changes and references", arguments: StoreKind.allCases)
    func refreshing(_ kind: StoreKind) throws {
        let stack = try Users.stack(kind)
        let users = try Users.all(stack.context)
        users[0].name = "李四"
        let other = stack.container.newBackgroundContext()
        try other.performAndWait {
            for user in try other.fetch(NSFetchRequest<User>(entityName: "User")) { user.age = 50 }
            try other.save()
        }
        #expect(users.map(\.age) == [2, 6, 8, 16, 18])
        stack.context.refreshAllObjects()
        #expect(users.map(\.age) == [50, 50, 50, 50, 50])
        #expect(users[0].name == "李四")
        #expect(stack.context.updatedObjects == [users[0]])
        #expect(users.allSatisfy { $0.managedObjectContext === stack.context })
    }

    @Test("An object whose row is gone counts as deleted, with no values", arguments: StoreKind.allCases)
    func missingRow(_ kind: StoreKind) throws {
        let stack = try Stack(Users.model, kind)
        #expect(stack.context.shouldDeleteInaccessibleFaults)
        try Users.insert([Users.five[0]], into: stack.context)
        let user = try Users.all(stack.context)[0]
        stack.context.refresh(user, mergeChanges: false)
        #expect(user.isFault)
        try stack.context.execute(NSBatchDeleteRequest(objectIDs: [user.objectID]))
        stack.context.refreshAllObjects()
        #expect(user.name == nil)
        #expect(user.age == 0)
        #expect(user.isDeleted)
        do {
            _ = try stack.container.newBackgroundContext().existingObject(with: user.objectID)
            Issue.record("an object without its row exists")
        } catch let error as NSError {
            #expect(error.domain == NSCocoaErrorDomain)
            #expect(error.code == NSManagedObjectReferentialIntegrityError)
        }
    }

    @Test("A store is replaced by another, copied where none is, and destroyed", arguments: StoreKind.kept)
    func files(_ kind: StoreKind) throws {
        let stack = try Users.stack(kind)
        let url = try #require(stack.container.persistentStoreDescriptions.first?.url)
        let copy = stack.folder.appendingPathComponent("Copy.store")
        let coordinator = stack.container.persistentStoreCoordinator
        try coordinator.remove(try #require(coordinator.persistentStores.first))
        try coordinator.replacePersistentStore(
            at: copy, destinationOptions: nil, withPersistentStoreFrom: url, sourceOptions: nil, ofType: kind.type)
        try coordinator.destroyPersistentStore(at: url, ofType: kind.type, options: nil)

        let other = NSPersistentStoreCoordinator(managedObjectModel: Users.model)
        try other.addPersistentStore(ofType: kind.type, configurationName: nil, at: copy, options: nil)
        let context = NSManagedObjectContext(.mainQueue)
        context.persistentStoreCoordinator = other
        #expect(try Users.all(context).map(\.name) == ["张三", "张四", "张五", "张六", "张七"])
        let empty = try stack.reopened(kind)
        #expect(try Users.all(empty.viewContext).isEmpty)
    }
}
