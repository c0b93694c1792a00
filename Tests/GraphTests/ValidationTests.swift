import FoundationEssentials
import Strata
import StrataInMemory
import Testing

@Suite("Validation at save")
struct ValidationTests {
    private let context: ManagedObjectContext
    private let ann: Person

    init() throws {
        context = try Zoo.context()
        ann = context.person("Ann")
    }

    private func failures() -> [ValidationFailure] {
        do { try context.save() } catch let error as ValidationError { return error.failures } catch { Issue.record(error) }
        return []
    }

    @Test(
        "Each rule has its code, and names the object, the key and the value",
        arguments: [
            ("age", Value.int(-1), 1620), ("age", 151, 1610), ("born", .date(Date(timeIntervalSinceReferenceDate: -1)), 1640),
            ("email", "a@", 1670),
            ("email", "a@0123456789012345678", 1660), ("email", "nobody", 1680), ("name", .null, 1570),
        ]
    )
    func attributes(key: String, value: Value, code: Int) throws {
        try ann.setValue(value, forKey: key)
        let error = #expect(throws: ValidationError.self) { try context.save() }
        let failure = try #require(error?.failures.first { $0.cocoaCode == code })
        #expect(failure.objectID == ann.objectID)
        #expect(failure.entity == "Person")
        #expect(failure.key == key)
        #expect(failure.value == value)
        #expect(!failure.message.isEmpty)
    }

    @Test("What was written to a date and is none has code 1650")
    func invalidDate() throws {
        /// A type that says it fits every attribute.
        struct Weekday: ValueConvertible {
            var value: Value { "Monday" }
            init() {}
            init?(value: Value) { nil }
        }
        ann[Key<Weekday>("born")] = Weekday()
        let failure = try #require(failures().first)
        #expect(failure.rule == .invalidDate)
        #expect(failure.cocoaCode == 1650)
        #expect(failure.key == "born")
        #expect(failure.value == "Monday")
        ann[Key<Date>("born")] = Date(timeIntervalSinceReferenceDate: 0)
        #expect(failures().isEmpty)
    }

    @Test("A value on the bound is valid, and so is none at all of an optional attribute")
    func bounds() throws {
        ann[Person.age] = 150
        try ann.setValue("a@b", forKey: "email")
        try ann.setValue(Date(timeIntervalSinceReferenceDate: 0), forKey: "born")
        try context.save()
        for key in ["age", "email", "born"] { try ann.setValue(nil, forKey: key) }
        try context.save()
    }

    @Test("All failures come together, with code 1560 for several")
    func several() throws {
        ann[Person.age] = -1
        _ = Person(context: context)
        let error = #expect(throws: ValidationError.self) { try context.save() }
        #expect(error?.cocoaCode == 1560)
        #expect(Set(error?.failures.map(\.cocoaCode) ?? []) == [1620, 1570])
    }

    @Test("Counts: 1580 for too few destinations, 1590 for too many, and nothing for none of an optional relationship")
    func counts() throws {
        let club = Club(context: context)
        try context.save()
        club[Club.members] = [ann]
        #expect(failures().map(\.cocoaCode) == [1580])
        club[Club.members] = (0..<4).map { context.person("\($0)") }
        #expect(failures().map(\.cocoaCode) == [1590])
        club[Club.members] = (0..<3).map { context.person("\($0)") }
        #expect(failures().isEmpty)
        club[Club.members] = []
        #expect(failures().isEmpty)
    }

    @Test("A required relationship without destination has code 1570")
    func requiredRelationship() throws {
        let passport = Passport(context: context)
        #expect(failures().map(\.key) == ["owner"])
        passport[Passport.owner] = ann
        #expect(failures().isEmpty)
    }

    @Test("What was changed and changed back stands against no save, be it that it was never right")
    func keptValues() throws {
        // A destination that a batch request had left out was asked for where the object was given one, and gave it up again.
        let coordinator = try PersistentStoreCoordinator(inMemory: Zoo.model())
        let context = ManagedObjectContext(coordinator)
        func keysOfFailures() throws -> [String?] {
            do { try context.save() } catch let error as ValidationError { return error.failures.map(\.key) }
            return []
        }
        func batch(_ entity: String, _ values: [String: Value]) throws -> ManagedObject {
            var request = BatchInsertRequest(entityName: entity, objects: [values])
            request.resultType = .objectIDs
            return context.object(with: try #require(try context.execute(request).objectIDs.first))
        }
        let ann = context.person("Ann")
        try context.save()
        let passport = try #require(try batch("Passport", [:]) as? Passport)
        passport[Passport.owner] = ann
        passport[Passport.owner] = nil
        #expect(try keysOfFailures().isEmpty)
        passport[Passport.owner] = ann
        #expect(try keysOfFailures().isEmpty)
        passport[Passport.owner] = nil
        #expect(try keysOfFailures() == ["owner"])
        context.rollback()

        let ageless = try #require(try batch("Person", ["name": "Bo", "age": 200]) as? Person)
        ageless[Person.age] = 20
        ageless[Person.age] = 200
        #expect(try keysOfFailures().isEmpty)
        ageless[Person.age] = 201
        #expect(try keysOfFailures() == ["age"])
    }

    @Test("An object's own findings join those of the model")
    func custom() throws {
        ann[Person.name] = "nobody"
        #expect(failures().map(\.cocoaCode) == [1550])
        ann[Person.age] = 200
        #expect(Set(failures().map(\.cocoaCode)) == [1550, 1610])
    }

    @Test("Any error that an object throws becomes a failure of that object")
    func foreignError() throws {
        struct Odd: Error {}
        try context.save()
        ann.complaint = Odd()
        ann[Person.age] = 1
        let found = failures()
        #expect(found.map(\.cocoaCode) == [1550])
        #expect(found.first?.objectID == ann.objectID)
        #expect(found.first?.key == nil)
    }

    @Test("What was not changed is not checked again")
    func unchanged() throws {
        let strict = PersistentStoreCoordinator(
            model: try ManagedObjectModel {
                Entity("Item") {
                    Attribute("a", .integer16, validation: [.range(0...1)])
                    Attribute("b", .integer16)
                }
            }
        )
        try strict.addStore(StoreDescription(.inMemory))
        let context = ManagedObjectContext(strict)
        let item = try context.insert("Item")
        try item.setValue(1, forKey: "a")
        try context.save()
        try item.setValue(5, forKey: "b")
        try context.save()
        try item.setValue(5, forKey: "a")
        #expect(throws: ValidationError.self) { try context.save() }
    }

    @Test("The text of an error has the first failures, and their number")
    func manyFailures() throws {
        // An import of a thousand invalid objects failed with half a megabyte of text.
        for _ in 0..<1000 { Person(context: context)[Person.age] = -5 }
        let error = try #require(throws: ValidationError.self) { try context.save() }
        #expect(error.failures.count >= 1000)
        #expect(error.description.hasSuffix("and \(error.failures.count - 10) more"))
        #expect(error.description.utf8.count < 4000)
    }

    @Test("willSave may mend what is invalid, and is called again for what it changed")
    func willSave() throws {
        var calls = 0
        ann[Person.age] = -5
        ann.onWillSave = { person in
            calls += 1
            if (person[Person.age] ?? 0) < 0 { person[Person.age] = 0 }
        }
        try context.save()
        #expect(calls == 2)
        #expect(ann[Person.age] == 0)
        #expect(ann.heard == ["insert", "saved"])
    }

    @Test("A willSave that never stops changing the object does not hang the save")
    func endlessWillSave() throws {
        ann.onWillSave = { $0[Person.age] = (($0[Person.age] ?? 0) + 1) % 100 }
        #expect(throws: UnstableSaveError.self) { try context.save() }
        #expect(context.hasChanges)
    }
}
