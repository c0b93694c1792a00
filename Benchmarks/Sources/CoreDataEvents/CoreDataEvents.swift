import CoreData
public import StrataWorkload

/// Events as `import CoreData` spells them.
public struct CoreDataEvents: EventGraph {
    private let coordinator: NSPersistentStoreCoordinator
    private var loaded: [EventRecord] = []
    private var context: NSManagedObjectContext?

    /// - Throws: What keeps the store from being made.
    public init() throws {
        let model = NSManagedObjectModel()
        model.entities = [EventRecord.makeEntity()]
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    }

    private func makeContext() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.undoManager = nil
        context.persistentStoreCoordinator = coordinator
        return context
    }

    public func insert(_ events: [Event]) throws {
        let context = makeContext()
        for event in events { EventRecord(context: context).fill(event) }
        try context.save()
    }

    public func touchAll() throws -> Answer {
        let context = makeContext()
        var answer = Answer()
        for record in try context.fetch(NSFetchRequest<EventRecord>(entityName: "Event")) { answer.add(record) }
        return answer
    }

    public mutating func load() throws {
        let context = makeContext()
        loaded = try context.fetch(NSFetchRequest<EventRecord>(entityName: "Event"))
        self.context = context
    }

    public func readLoaded() -> Int {
        var sum = 0
        for record in loaded { sum &+= Int(record.rank) &+ record.title.utf8.count }
        return sum
    }

    public func changeLoaded() { for record in loaded { record.rank = record.id } }
}
