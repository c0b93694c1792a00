import CoreData
import Testing

/// A fetch by `entity == %@` with a description failed as unsupported, and in memory the condition was never met.
@Suite("Conditions on entities")
struct EntityPredicateTests {
    private let context: NSManagedObjectContext
    private let model = PeopleModel.make()

    init() throws {
        context = try MemoryStack.context(of: model)
        context.performAndWait {
            let ada = insert("Person", "Ada")
            insert("Pet", "Cat").setValue(ada, forKey: "owner")
            insert("Dog", "Rex").setValue(ada, forKey: "owner")
        }
    }

    @discardableResult
    private func insert(_ entity: String, _ name: String) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        object.setValue(name, forKey: "name")
        return object
    }

    private func objects(_ entity: String, _ predicate: NSPredicate? = nil) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = predicate
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        return try context.fetch(request)
    }

    private func names(_ objects: [NSManagedObject]) -> [String] { objects.compactMap { $0.value(forKey: "name") as? String } }

    @Test("An entity is compared with a description, exactly, in a fetch and in memory") func descriptions() throws {
        let (person, pet, dog) = (try model.entity("Person"), try model.entity("Pet"), try model.entity("Dog"))
        let cases: [(NSPredicate, [String])] = [
            (NSPredicate(format: "entity == %@", dog), ["Rex"]), (NSPredicate(format: "entity == %@", pet), ["Cat"]),
            (NSPredicate(format: "%@ == entity", dog), ["Rex"]), (NSPredicate(format: "self.entity == %@", dog), ["Rex"]),
            (NSPredicate(format: "entity != %@", dog), ["Cat"]), (NSPredicate(format: "entity.name == 'Dog'"), ["Rex"]),
            (NSPredicate(format: "entity IN %@", [dog, person]), ["Rex"]), (NSPredicate(format: "NOT entity IN %@", [dog]), ["Cat"]),
            (NSPredicate(format: "entity == $E").withSubstitutionVariables(["E": dog]), ["Rex"]),
            (NSPredicate(format: "owner.entity == %@", person), ["Cat", "Rex"]),
        ]
        try context.performAndWait {
            for isSaved in [false, true] {
                if isSaved { try context.save() }
                let pets = try objects("Pet")
                for (predicate, expected) in cases {
                    #expect(names(try objects("Pet", predicate)) == expected, "\(predicate), fetched")
                    #expect(names(pets.filter { predicate.evaluate(with: $0) }) == expected, "\(predicate), in memory")
                }
            }
        }
    }

    @Test("The members of a relationship are distinguished by their entities") func members() throws {
        let (person, dog) = (try model.entity("Person"), try model.entity("Dog"))
        try context.performAndWait {
            let withDogs = try objects("Person", NSPredicate(format: "ANY pets.entity == %@", dog))
            let withPeople = try objects("Person", NSPredicate(format: "ANY pets.entity == %@", person))
            let withOneDog = try objects("Person", NSPredicate(format: "SUBQUERY(pets, $x, $x.entity == %@).@count == 1", dog))
            #expect(withDogs.count == 1)
            #expect(withPeople.isEmpty)
            #expect(withOneDog.count == 1)
        }
    }

    @Test("A description among the arguments stays what it is, and an object without a context is tested by it") func constants() throws {
        let (pet, dog) = (try model.entity("Pet"), try model.entity("Dog"))
        let predicate = NSPredicate(format: "entity == %@", dog)
        let rex = NSManagedObject(entity: dog, insertInto: nil)
        #expect((predicate as? NSComparisonPredicate)?.rightExpression.constantValue as? NSEntityDescription === dog)
        #expect(predicate.evaluate(with: rex))
        #expect(NSPredicate(format: "entity.name == 'Dog'").evaluate(with: rex))
        #expect(!NSPredicate(format: "entity == %@", pet).evaluate(with: rex))
    }
}
