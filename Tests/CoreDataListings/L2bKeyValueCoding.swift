import CoreData
import Foundation
import Testing

/// Adds, deletes, updates and fetches events by key-value coding.
@MainActor
private final class EventManager {
    let context: NSManagedObjectContext

    init(_ context: NSManagedObjectContext) { self.context = context }

    func add(_ model: MXWEventModel) throws {
        guard let entity = NSEntityDescription.entity(forEntityName: "MXWEvent", in: context) else { return }
        let event = NSManagedObject(entity: entity, insertInto: context)
        set(model, on: event)
        try context.save()
    }

    private func set(_ model: MXWEventModel, on event: NSManagedObject) {
        event.setValue(model.id, forKey: "id")
        event.setValue(model.title, forKey: "title")
        event.setValue(model.isDone, forKey: "isDone")
        event.setValue(model.date, forKey: "date")
    }

    func delete(id: Int64) throws {
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "MXWEvent")
        request.predicate = NSPredicate(format: "id==\(id)")
        try context.execute(NSBatchDeleteRequest(fetchRequest: request))
    }

    private func object(id: Int64) throws -> NSManagedObject? {
        let request = NSFetchRequest<NSManagedObject>(entityName: "MXWEvent")
        request.predicate = NSPredicate(format: "id==\(id)")
        return try context.fetch(request).first
    }

    func update(_ model: MXWEventModel) throws {
        guard let event = try object(id: model.id) else { return }
        set(model, on: event)
        try context.save()
    }

    func fetch(id: Int64) throws -> MXWEventModel? {
        if let event = try object(id: id), let id = event.value(forKey: "id") as? Int64,
            let title = event.value(forKey: "title") as? String
        {
            return MXWEventModel(
                id: id, title: title, isDone: event.value(forKey: "isDone") as! Bool, date: event.value(forKey: "date") as? Date)
        }
        return nil
    }
}

@Suite("L2-b: events by key-value coding") @MainActor
struct L2bKeyValueCoding {
    @Test("Adding, fetching, updating and deleting", arguments: StoreKind.allCases)
    func events(_ kind: StoreKind) throws {
        let stack = try Stack(Events.model, kind)
        let manager = EventManager(stack.context)
        let date = Date(timeIntervalSinceReferenceDate: 700_000_000.25)
        try manager.add(MXWEventModel(id: 1, title: "one", date: date))
        try manager.add(MXWEventModel(id: Int64.max, title: "two", isDone: true))
        let one = try #require(try manager.fetch(id: 1))
        #expect(one.title == "one")
        #expect(!one.isDone)
        #expect(one.date == date)
        let two = try #require(try manager.fetch(id: Int64.max))
        #expect(two.title == "two")
        #expect(two.isDone)
        #expect(two.date == nil)
        one.title = "first"
        one.isDone = true
        try manager.update(one)
        let first = try #require(try manager.fetch(id: 1))
        #expect(first.title == "first")
        #expect(first.isDone)
        try manager.delete(id: 1)
        stack.context.reset()
        #expect(try manager.fetch(id: 1) == nil)
        #expect(try manager.fetch(id: Int64.max) != nil)
    }

    @Test("Numbers come as whatever number is asked for", arguments: StoreKind.allCases)
    func numbers(_ kind: StoreKind) throws {
        let stack = try Stack(Events.model, kind)
        let event = NSEntityDescription.insertNewObject(forEntityName: "MXWEvent", into: stack.context)
        event.setValue(7, forKey: "id")
        event.setValue(true, forKey: "isDone")
        try stack.context.save()
        stack.context.refreshAllObjects()
        #expect(event.value(forKey: "id") as! Int64 == 7)
        #expect(event.value(forKey: "id") as? Int == 7)
        #expect((event.value(forKey: "id") as? NSNumber)?.doubleValue == 7)
        #expect(event.value(forKey: "isDone") as! Bool)
        #expect((event.value(forKey: "isDone") as? NSNumber)?.boolValue == true)
    }
}
