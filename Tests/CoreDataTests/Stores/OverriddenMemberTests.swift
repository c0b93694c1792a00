import CoreData
import Testing

final class MockedPerson: NSManagedObject {
    override var isDeleted: Bool { true }
    override var managedObjectContext: NSManagedObjectContext? { nil }
}

@Suite("Members that mocks override")
struct OverriddenMemberTests {
    private final class Coordinator: NSPersistentStoreCoordinator, @unchecked Sendable {
        override var persistentStores: [NSPersistentStore] { [] }
    }

    private final class Context: NSManagedObjectContext, @unchecked Sendable {
        override var hasChanges: Bool { true }
        override var insertedObjects: Set<NSManagedObject> { [] }
    }

    private final class Container: NSPersistentContainer, @unchecked Sendable {
        let ownContext = Context(concurrencyType: .mainQueueConcurrencyType)
        override var viewContext: NSManagedObjectContext { ownContext }
        override var name: String { "Mock" }
    }

    @Test("A container returns the context, and the name, of its subclass") @MainActor func container() throws {
        let container = Container(name: "Shop", managedObjectModel: OneEntityModel.make("Person", "name", .stringAttributeType))
        #expect(container.viewContext === container.ownContext)
        #expect(container.name == "Mock")
        #expect(container.persistentStoreDescriptions.first?.url?.lastPathComponent == "Shop.sqlite")
        container.ownContext.persistentStoreCoordinator = container.persistentStoreCoordinator
        #expect(container.viewContext.hasChanges)
    }

    @Test("A coordinator lists the stores of its subclass, and a context its objects") @MainActor func coordinator() throws {
        let model = OneEntityModel.make("Person", "name", .stringAttributeType)
        let coordinator = Coordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        #expect(coordinator.persistentStores.isEmpty)
        let context = Context(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        _ = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
        #expect(context.insertedObjects.isEmpty)
        try context.save()
        #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Person")) == 1)
    }

    @Test("An object answers as its class does, and is saved nevertheless") @MainActor func objects() throws {
        let model = OneEntityModel.make("Person", "name", .stringAttributeType)
        try model.entity("Person").managedObjectClassName = NSStringFromClass(MockedPerson.self)
        let context = try MemoryStack.context(of: model)
        let person = MockedPerson(context: context)
        #expect(person.isDeleted)
        #expect(person.managedObjectContext == nil)
        person.setValue("Ada", forKey: "name")
        try context.save()
        context.reset()
        let fetched = try context.fetch(NSFetchRequest<MockedPerson>(entityName: "Person"))
        #expect(fetched.map { $0.value(forKey: "name") as? String } == ["Ada"])
    }
}
