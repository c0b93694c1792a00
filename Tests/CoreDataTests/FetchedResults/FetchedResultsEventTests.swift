import CoreData
import Testing

/// The first save after an insertion told the object's new ID as a change of the object, and a reset had the results be fetched again.
@Suite("What fetched results controllers do not report")
struct FetchedResultsEventTests {
    private let stack = CityStack()
    private let recorder = Recorder()

    private func controller() throws -> NSFetchedResultsController<Citizen> {
        let controller = try stack.controller(stack.request("name"))
        controller.delegate = recorder
        return controller
    }

    /// What the recorder heard since it was asked last.
    private func heard() -> [String] {
        defer { recorder.log = [] }
        return recorder.log
    }

    @Test("A new object is reported once, also by the save that stores it") func firstSave() throws {
        try stack.context.performAndWait {
            let controller = try controller()
            stack.add("Ada")
            try stack.context.save()
            #expect(heard() == ["will", "insert Ada - 0.0", "did"])
            let bo = stack.add("Bo")
            stack.context.processPendingChanges()
            #expect(heard() == ["will", "insert Bo - 0.1", "did"])
            try stack.context.save()
            #expect(heard() == [])
            bo.setValue(5, forKey: "age")
            try stack.context.save()
            #expect(heard() == ["will", "update Bo 0.1 0.1", "did"])
            #expect(controller.fetchedObjects?.count == 2)
        }
    }

    @Test("A new object whose values change before its first save is reported as changed") func changedBeforeSave() throws {
        try stack.context.performAndWait {
            let controller = try controller()
            let ada = stack.add("Ada")
            stack.context.processPendingChanges()
            ada.setValue(5, forKey: "age")
            try stack.context.save()
            #expect(heard() == ["will", "insert Ada - 0.0", "did", "will", "update Ada 0.0 0.0", "did"])
            #expect(controller.fetchedObjects == [ada])
        }
    }

    @Test("The objects of a batch insertion that is merged are reported as inserted alone") func mergedBatch() throws {
        let other = stack.container.newBackgroundContext()
        stack.context.performAndWait { stack.context.automaticallyMergesChangesFromParent = true }
        let controller = try stack.context.performAndWait {
            let controller = try stack.controller(stack.request())
            controller.delegate = recorder
            return controller
        }
        let result = try other.performAndWait {
            let request = NSBatchInsertRequest(entityName: "Person", objects: [["name": "Ada"], ["name": "Bo"]])
            request.resultType = .objectIDs
            return try other.execute(request) as? NSBatchInsertResult
        }
        #expect(heard() == [])
        let ids = try #require(result?.result as? [NSManagedObjectID])
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [NSInsertedObjectIDsKey: ids], into: [stack.context])
        try stack.context.performAndWait {
            #expect(heard().filter { !["will", "did"].contains($0) }.allSatisfy { $0.hasPrefix("insert") })
            #expect(controller.fetchedObjects?.count == 2)
            // Nothing is left for the next event.
            _ = try stack.context.count(for: stack.request())
            #expect(heard() == [])
        }
    }

    @Test("A reset reports nothing, and the results stay as they were until they are fetched again") func resets() throws {
        try stack.context.performAndWait {
            let controller = try controller()
            let ada = stack.add("Ada")
            try stack.context.save()
            _ = heard()
            stack.context.reset()
            #expect(controller.fetchedObjects == [ada])
            #expect(controller.indexPath(forObject: ada) == IndexPath(item: 0, section: 0))
            stack.add("Bo")
            stack.context.processPendingChanges()
            #expect(heard() == [])
            try controller.performFetch()
            #expect(controller.fetchedObjects?.map(\.name) == ["Ada", "Bo"])
            #expect(heard() == [])
            stack.add("Cy")
            stack.context.processPendingChanges()
            #expect(heard() == ["will", "insert Cy - 0.2", "did"])
        }
    }
}
