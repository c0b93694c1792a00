import CoreData
import Testing

/// `value(forKeyPath: "@sum.price")` of what a fetch gave did not compile: collections of Foundation have no key-value coding on Linux.
@Suite("Key-value coding of collections")
struct CollectionKeyValueTests {
    private func things(_ body: ([NSManagedObject]) throws -> Void) throws {
        let context = try MemoryStack.context("Thing", [("name", .stringAttributeType), ("size", .integer16AttributeType)])
        try context.performAndWait {
            let things = [("a", 3), ("b", 5), (nil, 3)].map { name, size in
                let thing = NSEntityDescription.insertNewObject(forEntityName: "Thing", into: context)
                thing.setValue(name, forKey: "name")
                thing.setValue(size, forKey: "size")
                return thing
            }
            try body(things)
        }
    }

    @Test("Collection operators take what a fetch gave") func operators() throws {
        try things { things in
            let array = things as NSArray
            #expect(array.value(forKeyPath: "@sum.size") as? Int == 11)
            #expect(array.value(forKeyPath: "@max.size") as? Int == 5)
            #expect(array.value(forKeyPath: "@count") as? Int == 3)
            #expect(NSSet(array: things).value(forKeyPath: "@distinctUnionOfObjects.size") is NSArray)
            #expect(NSOrderedSet(array: things).value(forKeyPath: "@avg.size") as? Double == 11.0 / 3)
            #expect(([3, 9, 4] as NSArray).value(forKeyPath: "@max.self") as? Int == 9)
        }
    }

    @Test("The values for a key are in a collection of the same kind, with a place for those that are missing in an array alone")
    func values() throws {
        try things { things in
            let names = try #require((things as NSArray).value(forKey: "name") as? NSArray)
            #expect(names.count == 3)
            #expect(names[2] is NSNull)
            #expect(NSSet(array: things).value(forKey: "name") as? Set<String> == ["a", "b"])
            #expect((NSOrderedSet(array: things).value(forKey: "size") as? NSOrderedSet)?.array as? [Int] == [3, 5])
        }
    }

    @Test("Rows that are dictionaries have keys, too") func rows() {
        let rows = [["total": 2, "place": ["town": "Ulm"]], ["total": 5, "place": ["town": "Bonn"]]] as NSArray
        #expect(rows.value(forKeyPath: "@sum.total") as? Int == 7)
        #expect(rows.value(forKeyPath: "place.town") as? [String] == ["Ulm", "Bonn"])
        #expect((rows[0] as? NSDictionary)?.value(forKeyPath: "place.town") as? String == "Ulm")
    }

    @Test("A value is set of all elements") func setting() throws {
        try things { things in
            (things as NSArray).setValue("x", forKey: "name")
            #expect(things.allSatisfy { $0.value(forKey: "name") as? String == "x" })
            NSSet(array: things).setValue(7, forKey: "size")
            #expect(things.allSatisfy { $0.value(forKey: "size") as? Int == 7 })
        }
    }

    @Test("The destinations at the end of a path are changed through it") func paths() throws {
        let context = try OwnersModel.makeContext(.privateQueueConcurrencyType)
        context.performAndWait {
            let (ada, pet, visit) = (context.make("Owner", "Ada"), context.make("Pet", "Puff"), context.make("Visit", "first"))
            pet.setValue(ada, forKey: "owner")
            pet.mutableSetValue(forKeyPath: "owner.friends").add(context.make("Owner", "Bea"))
            pet.mutableOrderedSetValue(forKeyPath: "owner.visits").add(visit)
            ada.mutableSetValue(forKeyPath: "pets").add(context.make("Pet", "Rex"))
            #expect(ada.names("friends") == ["Bea"])
            #expect(ada.names("visits") == ["first"])
            #expect(ada.names("pets") == ["Puff", "Rex"])
        }
    }

    // The value went nowhere, and nothing was said.
    @Test("An element of a composite attribute is set by its path, and the others stay") func composite() throws {
        let place = NSCompositeAttributeDescription()
        place.name = "place"
        place.elements = [PeopleModel.attribute("street", .stringAttributeType), PeopleModel.attribute("zip", .integer32AttributeType)]
        let context = try MemoryStack.context(of: OneEntityModel.make("House", properties: [place]))
        context.performAndWait {
            let house = NSEntityDescription.insertNewObject(forEntityName: "House", into: context)
            house.setValue("Main", forKeyPath: "place.street")
            house.setValue(12345, forKeyPath: "place.zip")
            house.setValue("Side", forKeyPath: "place.street")
            #expect(house.value(forKeyPath: "place.street") as? String == "Side")
            #expect(house.value(forKeyPath: "place.zip") as? Int == 12345)
        }
    }
}
