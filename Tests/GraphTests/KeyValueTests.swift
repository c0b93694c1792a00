import FoundationEssentials
import Strata
import Testing

@Suite("Values by name")
struct KeyValueTests {
    private let context: ManagedObjectContext
    private let ann: Person

    init() throws {
        context = try Zoo.context()
        ann = context.person("Ann")
    }

    @Test("Every type of attribute gives back what it was given, before and after a save")
    func everyType() throws {
        let values: [String: any Hashable] = [
            "name": "Änn", "age": 33, "height": Float(1.75), "weight": 70.5, "salary": Decimal(string: "12.34") ?? 0, "paid": true,
            "key": UUID(),
            "page": try #require(URL(string: "https://swift.org")), "photo": Data([1, 2]), "notes": ["a", "b"],
            "born": Date(timeIntervalSinceReferenceDate: 5.5),
        ]
        for (key, value) in values { try ann.setValue(value, forKey: key) }
        func check(_ person: Person) throws {
            for (key, value) in values {
                #expect(try person.value(forKey: key) as? AnyHashable == AnyHashable(value), "\(key)")
            }
        }
        try check(ann)
        try context.save()
        try check(ann)
        let other = context.sibling()
        try check(try other.here(ann))
    }

    @Test("Setting nil takes the value away")
    func settingNil() throws {
        try ann.setValue(5, forKey: "age")
        try ann.setValue(nil, forKey: "age")
        #expect(try ann.value(forKey: "age") == nil)
        #expect(ann[Person.age] == nil)
        #expect(try ann.value(forKey: "height") == nil)
    }

    @Test("Numbers of other kinds are taken where nothing is lost")
    func conversions() throws {
        try ann.setValue(UInt8(7), forKey: "age")
        #expect(ann[Person.age] == 7)
        try ann.setValue(8.0, forKey: "age")
        #expect(ann[Person.age] == 8)
        try ann.setValue(true, forKey: "age")
        #expect(ann[Person.age] == 1)
        try ann.setValue(3, forKey: "weight")
        #expect(try ann.value(forKey: "weight") as? Double == 3)
        try ann.setValue(Value.int(4), forKey: "salary")
        #expect(try ann.value(forKey: "salary") as? Decimal == 4)
    }

    @Test("A value of another type is refused, and the object stays as it was")
    func wrongValue() throws {
        try ann.setValue(5, forKey: "age")
        let cases: [(String, Any)] = [
            ("age", "x"), ("age", 40_000), ("age", 1.5), ("age", UInt64.max), ("name", 1), ("paid", 2), ("key", "x"), ("born", 1.0),
            ("photo", "x"),
            ("notes", 5), ("name", [1]), ("name", Object()), ("spouse", "x"), ("friends", ann), ("friends", 1),
        ]
        let before = ann.changedValues().keys.sorted()
        for (key, value) in cases {
            let error = #expect(throws: StoreError.self, "\(key) = \(value)") { try ann.setValue(value, forKey: key) }
            #expect(error?.code == .wrongValue)
            #expect(error?.key == key)
            #expect(error?.entity == "Person")
        }
        #expect(ann[Person.age] == 5)
        #expect(ann.changedValues().keys.sorted() == before)
    }

    private struct Object {}

    @Test("An unknown key, or a hidden relationship, is refused")
    func unknownKey() throws {
        let pet = Pet(context: context)
        for (object, key) in [(ann, "shoe"), (ann, ""), (pet, "Person.favourites")] as [(ManagedObject, String)] {
            for error in [
                #expect(throws: StoreError.self) { try object.value(forKey: key) },
                #expect(throws: StoreError.self) { try object.setValue(nil, forKey: key) },
                #expect(throws: StoreError.self) { try object.objectIDs(forRelationshipNamed: key) },
            ] {
                #expect(error?.code == .unknownKey)
                #expect(error?.key == key)
            }
        }
        #expect(throws: StoreError.self) { try ann.objectIDs(forRelationshipNamed: "age") }
    }

    @Test("Relationships come as an object, a set or an array, and are set from any of them")
    func relationships() throws {
        let (bob, job, tag) = (context.person("Bob"), Job(context: context), Tag(context: context))
        try ann.setValue(bob, forKey: "spouse")
        try ann.setValue([job], forKey: "tasks")
        try ann.setValue(Set<ManagedObject>([tag]), forKey: "tags")
        #expect(try ann.value(forKey: "spouse") as? Person === bob)
        #expect(try ann.value(forKey: "tasks") as? [ManagedObject] == [job])
        #expect(try ann.value(forKey: "tags") as? Set<ManagedObject> == [tag])
        #expect(try ann.objectIDs(forRelationshipNamed: "tags") == [tag.objectID])
        try ann.setValue(nil, forKey: "tags")
        try ann.setValue(nil, forKey: "spouse")
        #expect(ann[Person.tags].isEmpty)
        #expect(bob[Person.spouse] == nil)
    }

    @Test("A transformable attribute decodes to its type, and complains where another is asked for")
    func transformable() throws {
        try ann.setValue(["x"], forKey: "notes")
        #expect(try ann.transformed("notes", as: [String].self) == ["x"])
        try context.save()
        #expect(try context.elsewhere { try $0.here(ann).transformed("notes", as: [String].self) } == ["x"])
        #expect(throws: StoreError.self) { try ann.transformed("notes", as: Int.self) }
        #expect(throws: StoreError.self) { try ann.transformed("shoe", as: Int.self) }
    }

    @Test("A transient attribute keeps its value through a save and starts anew in another context")
    func transient() throws {
        #expect(ann[Person.scratch] == "blank")
        ann[Person.scratch] = "mine"
        try context.save()
        #expect(ann[Person.scratch] == "mine")
        #expect(!context.hasChanges)
        #expect(try context.elsewhere { try $0.here(ann)[Person.scratch] } == "blank")
    }

    @Test("A transient relationship keeps its new destination through a save")
    func transientRelationship() throws {
        let bob = context.person("Bob")
        ann[Person.guest] = bob
        try context.save()
        #expect(ann[Person.guest] === bob)
    }

    // MARK: - What changed

    @Test("Changed values are those that differ from the saved ones")
    func changedValues() throws {
        try context.save()
        #expect(ann.changedValues().isEmpty)
        #expect(!ann.hasPersistentChangedValues)
        let bob = context.person("Bob")
        ann[Person.name] = "Anna"
        ann[Person.age] = nil
        ann[Person.spouse] = bob
        ann[Person.friends] = [bob]
        let changed = ann.changedValues()
        #expect(Set(changed.keys) == ["name", "age", "spouse", "friends"])
        #expect(changed["name"] as? String == "Anna")
        #expect(changed["spouse"] as? Person === bob)
        #expect(ann.hasPersistentChangedValues)
        #expect(ann.isUpdated)
        try context.save()
        #expect(ann.changedValues().isEmpty)
        #expect(!ann.hasChanges)
    }

    @Test("A value set back to what was saved is no change to the store")
    func setBack() throws {
        let coordinator = try #require(context.coordinator as? RecordingCoordinator)
        try context.save()
        ann[Person.name] = "Anna"
        ann[Person.name] = "Ann"
        #expect(ann.hasChanges)
        #expect(!ann.hasPersistentChangedValues)
        #expect(ann.changedValues().isEmpty)
        try context.save()
        #expect(coordinator.seen.saves.count == 1)
        #expect(!context.hasChanges)
    }

    @Test("Committed values are the saved ones, whatever is pending")
    func committedValues() throws {
        #expect(ann.committedValues(forKeys: nil).isEmpty)
        let bob = context.person("Bob")
        ann[Person.idol] = bob
        try context.save()
        ann[Person.name] = "Anna"
        ann[Person.idol] = nil
        let committed = ann.committedValues(forKeys: ["name", "idol", "height"])
        #expect(committed["name"] as? String == "Ann")
        #expect(committed["idol"] as? ObjectID == bob.objectID)
        #expect(committed.count == 2)
        #expect(ann.committedValues(forKeys: nil)["age"] as? Int == 0)
    }

    @Test("A change of a transient attribute alone stores nothing")
    func transientChange() throws {
        let coordinator = try #require(context.coordinator as? RecordingCoordinator)
        try context.save()
        ann[Person.scratch] = "x"
        #expect(ann.hasChanges)
        #expect(!ann.hasPersistentChangedValues)
        try context.save()
        #expect(coordinator.seen.saves.count == 1)
    }
}
