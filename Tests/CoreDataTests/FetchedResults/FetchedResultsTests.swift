import CoreData
import Testing

@Suite("Fetched results controllers")
struct FetchedResultsTests {
    let stack = CityStack()

    @Test("Results are in sections of equal names, and index paths identify them")
    func sections() throws {
        try stack.context.performAndWait {
            for (name, city) in [("Ada", "Rome"), ("Bo", "Bern"), ("Cy", "Rome")] { stack.add(name, city) }
            let controller = NSFetchedResultsController(
                fetchRequest: stack.request("city", "name"), managedObjectContext: stack.context, sectionNameKeyPath: "city",
                cacheName: "cities")
            #expect(controller.sections == nil)
            #expect(controller.fetchedObjects == nil)
            try controller.performFetch()
            #expect(controller.sections?.map(\.name) == ["Bern", "Rome"])
            #expect(controller.sections?.map(\.numberOfObjects) == [1, 2])
            #expect((controller.sections?[1].objects as? [Citizen])?.map(\.name) == ["Ada", "Cy"])
            let path = IndexPath(item: 1, section: 1)
            #expect(controller.object(at: path).name == "Cy")
            #expect(controller.indexPath(forObject: controller.object(at: path)) == path)
            #expect(controller.sectionIndexTitles == ["B", "R"])
            #expect(controller.section(forSectionIndexTitle: "R", at: 1) == 1)
            #expect(controller.cacheName == "cities")
            #expect(controller.sectionNameKeyPath == "city")
        }
    }

    /// Sections whose names begin with one letter had one title together, and a title's index was taken for that of its section.
    @Test("Each section has an index title, also the same as another") func sectionsOfOneLetter() throws {
        try stack.context.performAndWait {
            for city in ["Bern", "Bonn", "Rome"] { stack.add("Ada", city) }
            let controller = try stack.controller(stack.request("city"), sections: "city")
            #expect(controller.sectionIndexTitles == ["B", "B", "R"])
            #expect(controller.section(forSectionIndexTitle: "B", at: 1) == 1)
            #expect(controller.section(forSectionIndexTitle: "R", at: 2) == 2)
        }
    }

    /// The section of the event had the objects that it had before.
    @Test("A deleted section has no objects in its event") func deletedSection() throws {
        final class Counts: NSFetchedResultsControllerDelegate {
            var counts: [Int] = []
            func controller(
                _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange sectionInfo: any NSFetchedResultsSectionInfo,
                atSectionIndex sectionIndex: Int, for type: NSFetchedResultsChangeType
            ) { counts.append(sectionInfo.numberOfObjects) }
        }
        try stack.context.performAndWait {
            let ada = stack.add("Ada", "Rome")
            let controller = try stack.controller(stack.request("city"), sections: "city")
            let delegate = Counts()
            controller.delegate = delegate
            stack.context.delete(ada)
            stack.add("Bo", "Bern")
            stack.context.processPendingChanges()
            #expect(delegate.counts == [0, 1])
        }
    }

    @Test("Results without an order are fetched and followed")
    func unordered() throws {
        try stack.context.performAndWait {
            stack.add("Ada")
            let controller = try stack.controller(stack.request())
            let recorder = Recorder()
            controller.delegate = recorder
            stack.add("Bo")
            stack.context.processPendingChanges()
            #expect(Set(controller.fetchedObjects?.map(\.name) ?? []) == ["Ada", "Bo"])
            #expect(recorder.log.count == 3)
        }
    }

    @Test("Changes of one event are reported together: sections, then objects")
    func events() throws {
        try stack.context.performAndWait {
            let (ada, bo) = (stack.add("Ada", "Rome"), stack.add("Bo", "Bern"))
            let cy = stack.add("Cy", "Rome")
            let controller = try stack.controller(stack.request("city", "name"), sections: "city")
            let recorder = Recorder()
            controller.delegate = recorder
            stack.context.delete(bo)
            ada.setValue("Oslo", forKey: "city")
            cy.setValue(5, forKey: "age")
            stack.add("Di", "Rome")
            stack.context.processPendingChanges()
            #expect(
                recorder.log == [
                    "will", "section delete Bern 0", "section insert Oslo 0", "delete Bo 0.0 -", "insert Di - 1.1", "move Ada 1.0 0.0",
                    "update Cy 1.1 1.0", "did",
                ])
        }
    }

    @Test("What another context saved is reported once it is merged")
    func merges() throws {
        try stack.context.performAndWait {
            stack.add("Ada", "Rome")
            try stack.context.save()
            stack.context.automaticallyMergesChangesFromParent = false
            let controller = try stack.controller(stack.request("name"))
            let recorder = Recorder()
            controller.delegate = recorder
            let other = stack.container.newBackgroundContext()
            let saved = NotificationCenter.default.addObserver(forName: .NSManagedObjectContextDidSave, object: other, queue: nil) {
                stack.context.mergeChanges(fromContextDidSave: $0)
            }
            defer { NotificationCenter.default.removeObserver(saved) }
            try other.performAndWait {
                Citizen(context: other).setValue("Zoe", forKey: "name")
                try other.save()
            }
            stack.context.processPendingChanges()
            #expect(recorder.log == ["will", "insert Zoe - 0.1", "did"])
            #expect(controller.fetchedObjects?.map(\.name) == ["Ada", "Zoe"])
        }
    }

    @Test("The controller that a delegate is given equals the one that the program made")
    func twins() throws {
        try stack.context.performAndWait {
            let controller = try stack.controller(stack.request("name"))
            let other = try stack.controller(stack.request("name"))
            let recorder = Recorder()
            controller.delegate = recorder
            for name in ["Ada", "Bo"] {
                stack.add(name)
                stack.context.processPendingChanges()
            }
            let given = try #require(recorder.controllers.first)
            #expect(given == controller)
            #expect(given === controller)
            #expect(given != other)
            #expect(given !== other)
            #expect(recorder.controllers.allSatisfy { ObjectIdentifier($0) == ObjectIdentifier(given) })
            #expect(given.fetchedObjects?.count == 2)
            #expect(given.delegate === recorder)
            given.fetchRequest.predicate = NSPredicate(format: "name == 'Bo'")
            try given.performFetch()
            #expect(controller.fetchedObjects?.map(\.name) == ["Bo"])
            #expect(controller.fetchRequest.predicate != nil)
        }
    }

    private final class Differences: NSFetchedResultsControllerDelegate {
        var ids: [NSManagedObjectID] = []

        func controller(
            _ controller: NSFetchedResultsController<NSFetchRequestResult>,
            didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
        ) { ids = ids.applying(diff) ?? [] }

        func controllerDidChangeContent(_ controller: NSFetchedResultsController<NSFetchRequestResult>) {
            Issue.record("called beside differences")
        }
    }

    // The first difference was one to an empty list, and had all results once more.
    @Test("A delegate that is set after the fetch is notified of later changes")
    func lateDelegate() throws {
        try stack.context.performAndWait {
            let bo = stack.add("Bo")
            let controller = try stack.controller(stack.request("name"))
            try controller.performFetch()
            let delegate = Differences()
            delegate.ids = [bo.objectID]
            controller.delegate = delegate
            stack.add("Ada")
            stack.context.processPendingChanges()
            #expect(delegate.ids == controller.fetchedObjects?.map(\.objectID))
            #expect(delegate.ids.count == 2)
        }
    }

    @Test("A delegate that takes differences is notified of nothing else")
    func differences() throws {
        try stack.context.performAndWait {
            let bo = stack.add("Bo")
            let controller = try stack.controller(stack.request("name"))
            let delegate = Differences()
            controller.delegate = delegate
            try controller.performFetch()
            delegate.ids = [bo.objectID]
            stack.add("Ada")
            stack.add("Cy")
            stack.context.processPendingChanges()
            #expect(delegate.ids == controller.fetchedObjects?.map(\.objectID))
            #expect(delegate.ids.count == 3)
            try stack.context.save()
            #expect(delegate.ids == controller.fetchedObjects?.map(\.objectID))
            #expect(!delegate.ids[0].isTemporaryID)
        }
    }

    @Test("Sections are named by relationships, by truth values as numbers, and by keys that only the class knows")
    func names() throws {
        try stack.context.performAndWait {
            let (ada, bo) = (stack.add("Ada"), stack.add("Bo"))
            let team = NSEntityDescription.insertNewObject(forEntityName: "Team", into: stack.context)
            team.setValue("Red", forKey: "title")
            ada.setValue(team, forKey: "team")
            ada.setValue(true, forKey: "isMember")
            bo.setValue(false, forKey: "isMember")
            let teams = try stack.controller(stack.request("team.title"), sections: "team.title")
            let members = try stack.controller(stack.request("isMember"), sections: "isMember")
            let initials = try stack.controller(stack.request("name"), sections: "initial")
            #expect(teams.sections?.map(\.name) == ["", "Red"])
            #expect(members.sections?.map(\.name) == ["0", "1"])
            #expect(initials.sections?.map(\.name) == ["A", "B"])
            bo.setValue("Alf", forKey: "name")
            team.setValue("Blue", forKey: "title")
            stack.context.processPendingChanges()
            #expect(teams.sections?.map(\.name) == ["", "Blue"])
            #expect(initials.sections?.map(\.numberOfObjects) == [2])
        }
    }

    @Test("Objects of a section that do not follow each other are an error")
    func outOfOrder() {
        stack.context.performAndWait {
            for (name, city) in [("Ada", "Rome"), ("Bo", "Bern"), ("Cy", "Rome")] { stack.add(name, city) }
            let error = #expect(throws: NSError.self) { _ = try stack.controller(stack.request("name"), sections: "city") }
            #expect(error?.domain == NSCocoaErrorDomain)
            #expect(error?.code == NSCoreDataError)
        }
    }

    @Test("Index titles are those of the delegate, or of a subclass")
    func titles() throws {
        final class Numbered: NSFetchedResultsController<Citizen> {
            override func sectionIndexTitle(forSectionName sectionName: String) -> String? { "#\(sectionName)" }
        }
        final class Titles: NSFetchedResultsControllerDelegate {
            func controller(
                _ controller: NSFetchedResultsController<NSFetchRequestResult>, sectionIndexTitleForSectionName sectionName: String
            ) -> String? { sectionName.lowercased() }
        }
        try stack.context.performAndWait {
            stack.add("Ada", "Rome")
            let numbered = Numbered(
                fetchRequest: stack.request("city"), managedObjectContext: stack.context, sectionNameKeyPath: "city", cacheName: nil)
            try numbered.performFetch()
            #expect(numbered.sectionIndexTitles == ["#Rome"])
            #expect(numbered.sections?.first?.indexTitle == "#Rome")
            let controller = try stack.controller(stack.request("city"), sections: "city")
            let delegate = Titles()
            controller.delegate = delegate
            #expect(controller.sectionIndexTitles == ["rome"])
            #expect(controller.sections?.first?.indexTitle == "rome")
        }
    }

    @Test("Dictionaries are in sections, and stay what they were")
    func dictionaries() throws {
        try stack.context.performAndWait {
            for (name, city) in [("Ada", "Rome"), ("Bo", "Bern")] { stack.add(name, city) }
            try stack.context.save()
            let request = NSFetchRequest<NSDictionary>(entityName: "Person")
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = ["city", "name"]
            request.sortDescriptors = [NSSortDescriptor(key: "city", ascending: true)]
            let controller = NSFetchedResultsController(
                fetchRequest: request, managedObjectContext: stack.context, sectionNameKeyPath: "city", cacheName: nil)
            let recorder = Recorder()
            controller.delegate = recorder
            try controller.performFetch()
            stack.add("Cy", "Oslo")
            try stack.context.save()
            #expect(controller.sections?.map(\.name) == ["Bern", "Rome"])
            #expect(recorder.log.isEmpty)
            #expect(controller.object(at: IndexPath(row: 0, section: 1))["name"] as? String == "Ada")
            try controller.performFetch()
            #expect(controller.fetchedObjects?.count == 3)
        }
    }

    @Test("Controllers and the arguments of delegates are freed when nothing references them")
    func lifetimes() throws {
        try stack.context.performAndWait {
            weak var made: NSFetchedResultsController<Citizen>?
            weak var given: NSFetchedResultsController<NSFetchRequestResult>?
            do {
                let controller = try stack.controller(stack.request("name"))
                let recorder = Recorder()
                controller.delegate = recorder
                stack.add("Ada")
                stack.context.processPendingChanges()
                made = controller
                given = recorder.controllers.first
                #expect(given != nil)
            }
            #expect(made == nil)
            #expect(given == nil)
        }
    }
}
