import CoreData
import Testing

/// Fetches threw where Core Data converts the constant as SQLite does, or finds nothing.
@Suite("Constants of another type than the property")
struct MistypedConstantTests {
    private let context: NSManagedObjectContext

    init() throws {
        context = try MemoryStack.context(of: PeopleModel.make())
        context.performAndWait {
            for (name, age, pet) in [("Ada", 30, "7"), ("30", 40, "Rex")] {
                let person = insert("Person", name)
                person.setValue(age, forKey: "age")
                insert("Pet", pet).setValue(person, forKey: "owner")
            }
        }
    }

    @discardableResult
    private func insert(_ entity: String, _ name: String) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        object.setValue(name, forKey: "name")
        return object
    }

    private func names(_ format: String, _ arguments: [Any]) throws -> [String] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
        request.predicate = NSPredicate(format: format, argumentArray: arguments)
        return try context.fetch(request).compactMap { $0.value(forKey: "name") as? String }.sorted()
    }

    @Test(
        "A fetch converts the constant, or finds nothing",
        arguments: [
            ("age == '30'", ["Ada"]), ("age != '30'", ["30"]), ("age > '35'", ["30"]), ("'35' > age", ["Ada"]),
            ("age == 'old'", []), ("age != 'old'", ["30", "Ada"]), ("age < 'old'", []), ("NOT age == 'old'", ["30", "Ada"]),
            ("age IN {'30', 'old'}", ["Ada"]), ("age IN {40, 'old'}", ["30"]), ("NOT age IN {'old'}", ["30", "Ada"]),
            ("age BETWEEN {'20', 35}", ["Ada"]), ("age BETWEEN {20, 'old'}", []), ("age == {30, 40}", []),
            ("name == 30", ["30"]), ("name IN {30, 31}", ["30"]), ("name BEGINSWITH 3", ["30"]), ("age CONTAINS '3'", ["Ada"]),
            ("age BEGINSWITH[c] 4", ["30"]), ("ANY pets.name == 7", ["Ada"]), ("ANY pets.name == 8", []), ("pets.name CONTAINS 7", ["Ada"]),
            ("ALL pets.name == %@", []), ("ALL pets.name != %@", ["30", "Ada"]), ("ANY pets.name != %@", ["30", "Ada"]),
            ("ANY age IN {30, 31}", ["Ada"]), ("ANY name == 'Ada'", ["Ada"]),
            ("ALL age > 30", ["30"]), ("NONE age == 30", ["30"]), ("ANY pets.owner.age == 40", ["30"]), ("ANY pets == 'Rex'", []),
            ("NONE pets == 5", ["30", "Ada"]), ("pets CONTAINS 5", []), ("5 IN pets", []), ("SELF == 'Ada'", []),
            ("SUBQUERY(pets, $p, $p.name == 7 AND $p.owner.age == '30').@count == 1", ["Ada"]), ("name == %@", []),
        ])
    func fetches(format: String, expected: [String]) throws {
        try context.performAndWait {
            for isSaved in [false, true] {
                if isSaved { try context.save() }
                #expect(try names(format, [Date(timeIntervalSinceReferenceDate: 0)]) == expected)
            }
        }
    }

    @Test("A selection of objects of several entities is a list of constants") func objects() throws {
        try context.performAndWait {
            let pet = insert("Pet", "Tom")
            try context.save()
            #expect(try names("SELF IN %@ OR name IN %@", [[pet, "Ada"], [pet, "Ada"]]) == ["Ada"])
            #expect(try names("name == %@", [pet]) == [])
        }
    }

    @Test("The condition of a batch update is converted, too") func batchUpdate() throws {
        try context.performAndWait {
            try context.save()
            let request = NSBatchUpdateRequest(entityName: "Person")
            request.predicate = NSPredicate(format: "age == '30'")
            request.propertiesToUpdate = ["age": 31]
            request.resultType = .updatedObjectsCountResultType
            #expect((try context.execute(request) as? NSBatchUpdateResult)?.result as? Int == 1)
        }
    }
}
