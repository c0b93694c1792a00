import CoreData
import Testing

@MainActor struct ManagedObjectPredicateTests {
    private let context: NSManagedObjectContext
    private let ada: NSManagedObject
    private let bob: NSManagedObject
    private let rex: NSManagedObject

    init() throws {
        let container = NSPersistentContainer(name: "People", managedObjectModel: PeopleModel.make())
        let description = NSPersistentStoreDescription()
        description.type = NSInMemoryStoreType
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        container.loadPersistentStores { _, error in failure = error }
        if let failure { throw failure }
        context = container.viewContext
        func insert(_ entity: String, _ values: [String: Any]) -> NSManagedObject {
            let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: container.viewContext)
            object.setValuesForKeys(values)
            return object
        }
        ada = insert("Person", ["name": "Ada", "age": 36])
        bob = insert("Person", ["name": "Bob", "age": 8])
        rex = insert("Pet", ["name": "Rex", "owner": ada])
        _ = insert("Dog", ["name": "Tom", "owner": ada, "breed": "Pug"])
    }

    private func fetched(_ predicate: NSPredicate, by descriptors: [NSSortDescriptor]? = nil) throws -> [String] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
        request.predicate = predicate
        request.sortDescriptors = descriptors ?? [NSSortDescriptor(key: "name", ascending: true)]
        return try context.fetch(request).compactMap { $0.value(forKey: "name") as? String }
    }

    @Test(
        "A fetch and an evaluation in memory agree, before and after a save",
        arguments: [
            ("age > 10", "Ada"), ("name ==[c] 'bob'", "Bob"), ("ANY pets.name == 'Rex'", "Ada"), ("ALL pets.name == 'Rex'", "Bob"),
            ("NONE pets.name == 'Rex'", "Bob"), ("pets.@count == 0", "Bob"), ("pets.@max.name == 'Tom'", "Ada"),
            ("SUBQUERY(pets, $p, $p.name LIKE '*m').@count == 1", "Ada"), ("age + 1 == 9", "Bob"), ("age BETWEEN {7, 8}", "Bob"),
            ("age IN {8, 9}", "Bob"), ("age == 8.0", "Bob"), ("uppercase(name) == 'ADA'", "Ada"), ("name MATCHES '[A-B]d.'", "Ada"),
        ])
    func agreement(format: String, name: String) throws {
        let predicate = NSPredicate(format: format)
        for isSaved in [false, true] {
            if isSaved { try context.save() }
            #expect(try fetched(predicate) == [name])
            #expect([ada, bob].filter { predicate.evaluate(with: $0) }.map { $0.value(forKey: "name") as? String } == [name])
        }
    }

    // The compiled form is retained for the entity of the last object.
    @Test("A predicate is evaluated for objects of several entities in turn, with their current values") func severalEntities() throws {
        let predicate = NSPredicate(format: "name == 'Rex'")
        let objects = [ada, rex, rex, bob, ada]
        #expect(objects.map { predicate.evaluate(with: $0) } == [false, true, true, false, false])
        rex.setValue("Max", forKey: "name")
        ada.setValue("Rex", forKey: "name")
        #expect(objects.map { predicate.evaluate(with: $0) } == [true, false, false, false, true])
        try context.save()
        #expect(objects.map { predicate.evaluate(with: $0) } == [true, false, false, false, true])
    }

    @Test("Objects and their identifiers are arguments, alone and in collections") func objects() throws {
        let arguments: [(String, Any)] = [
            ("SELF == %@", ada), ("SELF == %@", ada.objectID), ("SELF IN %@", [ada]), ("SELF IN %@", NSSet(array: [ada])),
            ("SELF IN %@", [ada.objectID]), ("objectID == %@", ada.objectID), ("pets CONTAINS %@", rex), ("%@ IN pets", rex),
            ("ANY pets == %@", rex), ("ANY pets IN %@", Set([rex])), ("NOT (SELF IN %@)", [bob]),
        ]
        for isSaved in [false, true] {
            // Made before the save, a predicate means the same objects after it.
            let predicates = arguments.map { NSPredicate(format: $0.0, $0.1) }
            if isSaved { try context.save() }
            for predicate in predicates {
                #expect(try fetched(predicate) == ["Ada"], "\(predicate)")
                #expect(predicate.evaluate(with: ada), "\(predicate)")
                #expect(!predicate.evaluate(with: bob), "\(predicate)")
            }
        }
    }

    @Test("An object among the arguments stays what it is") func constants() throws {
        let predicate = try #require(NSPredicate(format: "owner == %@", ada as any CVarArg) as? NSComparisonPredicate)
        #expect(predicate.rightExpression.constantValue as? NSManagedObject === ada)
        #expect(predicate.evaluate(with: rex))
        #expect(NSPredicate(format: "owner == $o").evaluate(with: rex, substitutionVariables: ["o": ada]))
    }

    @Test("A block cannot be part of a fetch, and can of an evaluation") func blocks() throws {
        let block = NSPredicate { object, _ in (object as? NSManagedObject)?.value(forKey: "name") as? String == "Ada" }
        #expect(throws: (any Error).self) { try fetched(block) }
        #expect(throws: (any Error).self) { try fetched(NSCompoundPredicate(andPredicateWithSubpredicates: [block])) }
        #expect(NSSet(array: [ada, bob]).filtered(using: block).count == 1)
    }

    @Test("A fetch and an array are sorted alike") func sorting() throws {
        let descriptors = [NSSortDescriptor(key: "age", ascending: true)]
        #expect(try fetched(NSPredicate(value: true), by: descriptors) == ["Bob", "Ada"])
        let sorted = NSArray(array: [ada, bob]).sortedArray(using: descriptors)
        #expect(sorted.map { ($0 as? NSManagedObject)?.value(forKey: "name") as? String } == ["Bob", "Ada"])
        let byName = NSSortDescriptor(key: "name", ascending: false, selector: Selector("localizedStandardCompare:"))
        #expect(try fetched(NSPredicate(value: true), by: [byName]) == ["Bob", "Ada"])
        let closure = NSSortDescriptor(key: "name", ascending: true) { _, _ in .orderedSame }
        #expect(throws: (any Error).self) { try fetched(NSPredicate(value: true), by: [closure]) }
    }

    @Test("Compounds of one's own are fetched by") func compounds() throws {
        let parts = [NSPredicate(format: "age > 5"), NSPredicate(format: "name BEGINSWITH 'B'")]
        #expect(try fetched(NSCompoundPredicate(andPredicateWithSubpredicates: parts)) == ["Bob"])
        #expect(try fetched(NSCompoundPredicate(orPredicateWithSubpredicates: parts)) == ["Ada", "Bob"])
        #expect(try fetched(NSCompoundPredicate(notPredicateWithSubpredicate: parts[1])) == ["Ada"])
    }
}
