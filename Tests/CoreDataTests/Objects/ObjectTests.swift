import CoreData
import Testing

/// Members that `NSObject` gives every managed object on Apple's systems were missing.
@Suite("What managed objects have of NSObject")
struct ObjectTests {
    private final class Special: NSManagedObject {}

    @Test("An object knows its class, and its properties by their selectors") func kinds() throws {
        let context = try MemoryStack.context("Thing", [("name", .stringAttributeType)])
        context.performAndWait {
            let object = NSEntityDescription.insertNewObject(forEntityName: "Thing", into: context)
            #expect(object.isKind(of: NSManagedObject.self))
            #expect(!object.isKind(of: Special.self))
            #expect(object.isMember(of: NSManagedObject.self))
            #expect(object.responds(to: Selector("name")))
            #expect(object.responds(to: Selector("setName:")))
            #expect(!object.responds(to: Selector("other")))
        }
        #expect(NSManagedObject.description() == "NSManagedObject")
        #expect(Special.description().hasSuffix("Special"))
    }

    /// The setter of `date` is `setDate:`, which is that of the key `Date`: the key was undefined.
    @Test("A capitalized key sets the property, and reads none") func capitalizedKeys() throws {
        let model = OneEntityModel.make("Thing", properties: [PeopleModel.attribute("name", .stringAttributeType)])
        model.entities[0].managedObjectClassName = NSStringFromClass(LenientThing.self)
        let context = try MemoryStack.context(of: model)
        context.performAndWait {
            let thing = NSEntityDescription.insertNewObject(forEntityName: "Thing", into: context)
            thing.setValue("a", forKey: "Name")
            #expect(thing.value(forKey: "name") as? String == "a")
            #expect(thing.value(forKey: "Name") as? String == "no Name")
            thing.setValue("b", forKey: "Other")
            #expect(thing.value(forKey: "name") as? String == "no Other")
        }
    }

    @Test("All committed values are given where no keys are") func committed() throws {
        let context = try MemoryStack.context("Thing", [("name", .stringAttributeType), ("size", .integer16AttributeType)])
        try context.performAndWait {
            let object = NSEntityDescription.insertNewObject(forEntityName: "Thing", into: context)
            object.setValue("a", forKey: "name")
            try context.save()
            object.setValue("b", forKey: "name")
            let values = object.committedValues(forKeys: nil)
            #expect(values["name"] as? String == "a")
            #expect(values["size"] is NSNull)
        }
    }

    /// A new object stayed what it was, and one that its context forgot was a fault for good.
    @Test("A new object becomes a fault and fires, and so does one that its context forgot") func faulting() throws {
        let context = try MemoryStack.context("Note", [("name", .stringAttributeType)])
        context.performAndWait {
            let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
            note.setValue("a", forKey: "name")
            context.refresh(note, mergeChanges: false)
            #expect(note.isFault)
            #expect(note.isInserted)
            #expect(note.value(forKey: "name") as? String == "a")
            #expect(!note.isFault)
            context.reset()
            #expect(note.isFault)
            note.willAccessValue(forKey: nil)
            #expect(!note.isFault)
        }
    }

    /// What is no collection, and no object of the model, ended the program.
    @Test("Paths go on behind texts") func textPaths() throws {
        let context = try MemoryStack.context("Note", [("name", .stringAttributeType)])
        context.performAndWait {
            let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
            note.setValue("Ada", forKey: "name")
            #expect(note.value(forKeyPath: "name.length") as? Int == 3)
            #expect(note.value(forKeyPath: "name.uppercaseString") as? String == "ADA")
        }
    }

    @Test("Collection operators at the end of paths give what predicates see") func paths() throws {
        let context = try MemoryStack.context(of: PeopleModel.make())
        context.performAndWait {
            func insert(_ entity: String, _ values: [String: Any]) -> NSManagedObject {
                let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
                object.setValuesForKeys(values)
                return object
            }
            let ada = insert("Person", ["name": "Ada"])
            #expect(ada.value(forKeyPath: "pets.@sum.owner.age") as? Int == 0)
            #expect(ada.value(forKeyPath: "pets.@avg.owner.age") as? Int == 0)
            #expect(ada.value(forKeyPath: "pets.@max.name") == nil)
            _ = insert("Pet", ["name": "Rex", "owner": ada])
            _ = insert("Pet", ["name": "Tom", "owner": ada])
            #expect(ada.value(forKeyPath: "pets.@count") as? Int == 2)
            #expect(ada.value(forKeyPath: "pets.@sum.owner.age") as? NSDecimalNumber == 14)
            #expect(ada.value(forKeyPath: "pets.@avg.owner.age") as? Double == 7)
            #expect(ada.value(forKeyPath: "pets.@min.name") as? String == "Rex")
            #expect((ada.value(forKeyPath: "pets.@unionOfObjects.owner.age") as? [Int]) == [7, 7])
            #expect((ada.value(forKeyPath: "pets.@distinctUnionOfObjects.owner.age") as? [Int]) == [7])
            #expect((ada.value(forKeyPath: "pets.name") as? NSSet)?.count == 2)
        }
    }
}

extension ObjectTests {
    /// The inverse stayed empty: accessors of one's own are written like this.
    @Test("A relationship that is set as a primitive value between its notifications keeps its inverse") func primitiveRelationship() throws
    {
        let context = try OwnersModel.makeContext()
        let (owner, pet) = (context.make("Owner", "Ada"), context.make("Pet", "Rex"))
        pet.willChangeValue(forKey: "owner")
        pet.setPrimitiveValue(owner, forKey: "owner")
        pet.didChangeValue(forKey: "owner")
        #expect(owner.names("pets") == ["Rex"])
        #expect(pet.changedValues()["owner"] as? NSManagedObject === owner)
        pet.willChangeValue(forKey: "owner")
        pet.setPrimitiveValue(nil, forKey: "owner")
        pet.didChangeValue(forKey: "owner")
        #expect(owner.names("pets") == [])
    }
}

/// An object that answers for keys of no property.
final class LenientThing: NSManagedObject {
    override func value(forUndefinedKey key: String) -> Any? { "no \(key)" }
    override func setValue(_ value: Any?, forUndefinedKey key: String) { setValue("no \(key)", forKey: "name") }
}
