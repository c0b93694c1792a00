import CoreData
import Testing

// Generic code could make no managed object: `T(context:)` asks for an initializer that is `required`, which Apple's are not, and need not be.
struct GenericMakingTests {
    final class Plain: NSManagedObject {
        @nonobjc class func fetchRequest() -> NSFetchRequest<Plain> { NSFetchRequest<Plain>(entityName: "Plain") }
    }

    final class Initialized: NSManagedObject {
        var isMade = false

        override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
            super.init(entity: entity, insertInto: context)
            isMade = true
            setValue("given", forKey: "name")
        }

        convenience init(context: NSManagedObjectContext) {
            let entity = NSEntityDescription.entity(forEntityName: "Initialized", in: context)
            self.init(entity: entity ?? NSEntityDescription(), insertInto: context)
        }
    }

    private let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    private let model = NSManagedObjectModel()

    init() throws {
        model.entities = [Plain.self, Initialized.self].map { type in
            let entity = NSEntityDescription()
            entity.name = "\(type)"
            entity.managedObjectClassName = NSStringFromClass(type)
            let name = NSAttributeDescription()
            name.name = "name"
            name.attributeType = .stringAttributeType
            name.defaultValue = "none"
            entity.properties = [name]
            return entity
        }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        context.persistentStoreCoordinator = coordinator
    }

    private func make<T: NSManagedObject>(_ type: T.Type) -> T { T(context: context) }
    private func make<T: NSManagedObject>(_ type: T.Type, in context: NSManagedObjectContext?) throws -> T {
        T(entity: try #require(model.entitiesByName["\(type)"]), insertInto: context)
    }

    @Test("A generic class makes objects, which are inserted before their class's initializer goes on") func making() throws {
        let plain = make(Plain.self)
        let initialized = make(Initialized.self)
        let other = try make(Initialized.self, in: context)
        #expect(context.insertedObjects == [plain, initialized, other])
        #expect(plain.value(forKey: "name") as? String == "none")
        for object in [initialized, other] {
            #expect(object.isMade)
            #expect(object.value(forKey: "name") as? String == "given")
        }
        try context.save()
        #expect(try context.count(for: NSFetchRequest<Initialized>(entityName: "Initialized")) == 2)
    }

    @Test("A generic class makes objects without a context, and of the entity's own class") func makingApart() throws {
        let plain = try make(Plain.self, in: nil)
        #expect(plain.managedObjectContext == nil)
        #expect(plain.value(forKey: "name") as? String == "none")
        let entity = try #require(model.entitiesByName["Plain"])
        let type: NSManagedObject.Type = NSManagedObject.self
        #expect(type.init(entity: entity, insertInto: context) is Plain)
    }

    @Test("An object by its entity's name is inserted before its class's initializer goes on") func makingByName() {
        let object = NSEntityDescription.insertNewObject(forEntityName: "Initialized", into: context)
        #expect(object.value(forKey: "name") as? String == "given")
    }

    @Test("A request of a class is the one that the class declares") func requesting() throws {
        let plain = Plain(context: context)
        try context.save()
        let request = Plain.fetchRequest()
        request.predicate = NSPredicate(format: "name == 'none'")
        #expect(try context.fetch(request) == [plain])
    }

    /// Apple's systems make an object without an entity, whose values cannot be used.
    @Test("An object of a class without arguments is of its entity, and has no context until it is inserted") func withoutArguments() throws
    {
        let object = Plain()
        #expect(object.entity.name == "Plain")
        #expect(object.managedObjectContext == nil)
        #expect(object.value(forKey: "name") as? String == "none")
        context.insert(object)
        #expect(context.insertedObjects == [object])
    }
}
