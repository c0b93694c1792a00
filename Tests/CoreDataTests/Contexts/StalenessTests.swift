import CoreData
import Testing

@Suite("The age of rows")
struct StalenessTests {
    private let context: NSManagedObjectContext
    private let other: NSManagedObjectContext

    init() throws {
        context = try MemoryStack.context("Person", [("name", .stringAttributeType)])
        other = MemoryStack.context(of: context.persistentStoreCoordinator)
    }

    private func person() throws -> NSManagedObject {
        let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
        person.setValue("Ada", forKey: "name")
        try context.save()
        return person
    }

    /// Changes all persons in the store, which no context notices.
    private func update(to name: String) throws {
        let request = NSBatchUpdateRequest(entityName: "Person")
        request.propertiesToUpdate = ["name": name]
        try context.execute(request)
    }

    @Test("A refreshed object fires with its row by default, and is read anew with an interval of zero") func intervals() throws {
        try context.performAndWait {
            let person = try person()
            try update(to: "Bo")
            context.refresh(person, mergeChanges: false)
            #expect(person.isFault)
            #expect(person.value(forKey: "name") as? String == "Ada")
            context.refreshAllObjects()
            #expect(person.value(forKey: "name") as? String == "Ada")
            context.stalenessInterval = 0
            context.refresh(person, mergeChanges: false)
            #expect(person.value(forKey: "name") as? String == "Bo")
        }
    }

    @Test("A refresh discards changes, with the row that the object has") func changes() throws {
        try context.performAndWait {
            let person = try person()
            person.setValue("Bo", forKey: "name")
            context.refresh(person, mergeChanges: false)
            #expect(!person.hasChanges)
            #expect(person.value(forKey: "name") as? String == "Ada")
            person.setValue("Cy", forKey: "name")
            try context.save()
            context.refresh(person, mergeChanges: false)
            #expect(person.value(forKey: "name") as? String == "Cy")
        }
    }

    @Test("A refreshed object has what another context saved, merged or not") func others() throws {
        let id = try context.performAndWait { try person().objectID }
        try context.performAndWait {
            let person = try context.existingObject(with: id)
            try other.performAndWait {
                try other.existingObject(with: id).setValue("Bo", forKey: "name")
                try other.save()
            }
            context.refresh(person, mergeChanges: false)
            #expect(person.value(forKey: "name") as? String == "Bo")
        }
    }

    @Test("A refreshed object is read anew after batches that insert or delete") func batches() throws {
        try context.performAndWait {
            let person = try person()
            try update(to: "Bo")
            try context.execute(NSBatchInsertRequest(entityName: "Person", objects: [["name": "Cy"]]))
            context.refresh(person, mergeChanges: false)
            #expect(person.value(forKey: "name") as? String == "Bo")
            try context.execute(NSBatchDeleteRequest(objectIDs: [person.objectID]))
            context.refreshAllObjects()
            #expect(person.value(forKey: "name") == nil)
            #expect(person.isDeleted)
        }
    }

    @Test("A batch update that is merged is read") func merges() throws {
        try context.performAndWait {
            let person = try person()
            try update(to: "Bo")
            NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [NSUpdatedObjectIDsKey: [person.objectID]], into: [context])
            #expect(person.value(forKey: "name") as? String == "Bo")
        }
    }

    @Test("The objects of a fetch live until the next one, and no longer than the block of their context") func lifetimes() throws {
        try context.performAndWait {
            _ = try person()
            context.reset()
        }
        let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
        try context.performAndWait {
            weak let found = try context.fetch(request).first
            #expect(found != nil)
            #expect(context.registeredObjects.count == 1)
            request.predicate = NSPredicate(value: false)
            #expect(try context.fetch(request).isEmpty)
            #expect(found == nil)
            request.predicate = nil
            _ = try context.fetch(request)
        }
        #expect(context.performAndWait { context.registeredObjects.isEmpty })
    }
}
