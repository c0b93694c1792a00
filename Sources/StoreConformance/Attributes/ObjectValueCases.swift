import FoundationEssentials
import Strata
import StrataTestModels

/// Values that are set without anybody hearing of it, snapshots, and values checked on request.
enum ObjectValueCases {
    /// A note whose attributes have types that no store knows.
    final class Note: ManagedObject {
        enum Status: String { case draft, sent }
        struct Point: Codable, Sendable, Equatable {
            var x = 0
            var y = 0
        }

        static let status = Key<Status>("status")
        static let tags = Key<[String]>("tags")
        static let counts = Key<[Int]>("counts")
        static let ratios = Key<[Double]>("ratios")
        static let ids = Key<[UUID]>("ids")
        static let point = Key<Point>("point")
    }

    private static let notes = ModelResult.declared {
        Entity("Note", class: Note.self) {
            Attribute(Note.status, .string, default: .draft)
            Attribute(Note.tags)
            Attribute(Note.counts, default: [1])
            Attribute("ratios", .transformable)
            Attribute(Note.ids)
            Attribute(Note.point)
        }
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("Enumerations, arrays and other Codable values are attributes of classes written by hand", in: .attributes) {
            environment in
            let stack = try environment.stack(notes)
            let context = stack.context()
            let note = Note(context: context)
            try expectEqual(note[Note.status], .draft)
            try expectEqual(note[Note.counts], [1])
            try expectEqual(note[Note.tags], nil)
            let ids = [UUID(), UUID()]
            note[Note.status] = .sent
            note[Note.tags] = ["a", "", "ä"]
            note[Note.counts] = []
            note[Note.ratios] = [0.1, -.infinity]
            note[Note.ids] = ids
            note[Note.point] = Note.Point(x: 1, y: -1)
            try context.save()
            let read = try unwrap(stack.reopened().context().first(Note.self))
            try expectEqual(read[Note.status], .sent)
            try expectEqual(read[Note.tags], ["a", "", "ä"])
            try expectEqual(read[Note.counts], [])
            try expectEqual(read[Note.ratios], [0.1, -.infinity])
            try expectEqual(read[Note.ids], ids)
            try expectEqual(read[Note.point], Note.Point(x: 1, y: -1))
            try expect(!read.hasChanges, "reading changes nothing")
        }
        ConformanceCase("Arrays are kept as the same bytes each time, so that equal ones are no change", in: .attributes) { environment in
            let stack = try environment.stack(notes)
            let context = stack.context()
            let note = Note(context: context)
            note[Note.tags] = ["x", "y"]
            try context.save()
            note[Note.tags] = ["x", "y"]
            try expect(!note.hasPersistentChangedValues, "equal arrays differ")
            note[Note.tags] = ["y", "x"]
            try expect(note.hasPersistentChangedValues, "different arrays are equal")
        }
        ConformanceCase("Conditions name cases of enumerations that are only raw values", in: .queries) { environment in
            let stack = try environment.stack(notes)
            let context = stack.context()
            Note(context: context)[Note.status] = .sent
            _ = Note(context: context)
            Note(context: context)[Note.status] = nil
            try context.save()
            let other = try stack.reopened().context()
            try expectEqual(try other.count(Note.self, where: Note.status == .sent), 1)
            try expectEqual(try other.count(Note.self, where: Note.status != .sent), 2)
            try expectEqual(try other.count(Note.self, where: Note.status == nil), 1)
            try expectEqual(try other.count(Note.self, where: Note.status.isIn([.draft, .sent])), 2)
        }
        ConformanceCase("A primitive value is read without firing, and set without a change", in: .attributes) { environment in
            let stack = try environment.stack(Models.company)
            let first = stack.context()
            _ = Person("Ada", first, age: 1, company: Company(context: first))
            try first.save()
            let context = stack.context()
            let id = try unwrap(context.fetchObjectIDs(ObjectFetchRequest<Person>()).first)
            let ada = try unwrap(context.object(with: id) as? Person)
            try expect(try ada.primitiveValue(forKey: "name") == nil && ada.isFault, "the fault fired")
            try expectEqual(ada.name, "Ada")
            try expectEqual(try ada.primitiveValue(forKey: "name") as? String, "Ada")
            try ada.setPrimitiveValue("Eve", forKey: "name")
            try expectEqual(ada.name, "Eve")
            try expect(!ada.hasChanges && !context.hasChanges, "a primitive value is a change")
            try context.save()
            try expectEqual(try stack.context().first(Person.self)?.name, "Ada")
            ada.age = 2
            try context.save()
            try expectEqual(try stack.reopened().context().first(Person.self)?.name, "Eve")
        }
        ConformanceCase("A primitive destination is set at one end alone", in: .relationships) { environment in
            let stack = try environment.stack(Models.company)
            let context = stack.context()
            let (a, b) = (Company(context: context), Company(context: context))
            let ada = Person("Ada", context, company: a)
            try context.save()
            _ = (a.people, b.people)
            try ada.setPrimitiveValue(b, forKey: "company")
            try expectEqual(ada.company, b)
            try expectEqual(a.people, [ada])
            try expectEqual(b.people, [])
            try expectEqual(try ada.primitiveValue(forKey: "company") as? Company, b)
        }
        ConformanceCase("An accessor of one's own makes a change as any other", in: .attributes) { environment in
            let stack = try environment.stack(Models.company)
            let context = stack.context()
            let ada = Person("Ada", context, age: 1)
            try context.save()
            context.undoManager = UndoManager()
            ada.willChangeValue(forKey: "age")
            try ada.setPrimitiveValue(7, forKey: "age")
            ada.didChangeValue(forKey: "age")
            try expect(ada.isUpdated, "no change was noted")
            try context.save()
            try expectEqual(try stack.context().first(Person.self)?.age, 7)
            try context.undo()
            try expectEqual(ada.age, 1)
        }
        ConformanceCase("A snapshot holds what the object held, whatever becomes of it", in: .attributes) { environment in
            let stack = try environment.stack(Models.company)
            let context = stack.context()
            let company = Company(context: context)
            let ada = Person("Ada", context, age: 1, company: company)
            try context.save()
            let saved = ada.snapshot()
            ada.age = 2
            ada.company = nil
            let changed = ada.snapshot()
            context.delete(ada)
            try context.save()
            try expectEqual(saved.objectID, changed.objectID)
            try expectEqual(saved.age, 1)
            try expectEqual(saved[Person.age], 1)
            try expectEqual(saved.name, "Ada")
            try expectEqual(saved.company, company.objectID)
            try expectEqual(saved[Person.company], company.objectID)
            try expectEqual(saved.version, 1)
            try expectEqual(changed.age, 2)
            try expectEqual(changed.company, nil)
            try expect(saved != changed, "they hold different values")
            try expectEqual(saved.value(forKey: "age"), .int(1))
            try expect(saved.value(forKey: "skills") == nil && saved.value(forKey: "nothing") == nil, "no attributes")
            let text = await Task.detached { saved.name }.value
            try expectEqual(text, "Ada")
        }
        ConformanceCase("Snapshots of a request are those of its objects, in order", in: .attributes) { environment in
            let stack = try environment.stack(Models.company)
            let context = stack.context()
            for (name, age) in [("a", 3), ("b", 1), ("c", 2)] as [(String, Int16)] { _ = Person(name, context, age: age) }
            try context.save()
            let other = try stack.reopened().context()
            let rows = try other.snapshots(of: ObjectFetchRequest<Person>(sort: [Person.age.ascending]))
            try expectEqual(rows.map { $0.name ?? "" }, ["b", "c", "a"])
            try expectEqual(try other.snapshots(of: other.fetch(Person.self)).count, 3)
            let new = Person("new", other).snapshot()
            try expectEqual(new.version, 0)
            try expectEqual(new.name, "new")
        }
        ConformanceCase("A snapshot in a child has what its parent has not saved", in: .attributes) { environment in
            let stack = try environment.stack(Models.company)
            let parent = stack.context()
            let company = Company(context: parent)
            _ = Person("Ada", parent, age: 1, company: company)
            let child = stack.child(of: parent)
            let row = try unwrap(child.snapshots(of: ObjectFetchRequest<Person>()).first)
            try expectEqual(row.age, 1)
            try expectEqual(row.company, company.objectID)
        }
        ConformanceCase("A named transformer is found when the attribute is used", in: .attributes) { environment in
            struct Colour: Sendable, Equatable { var red: UInt8 }
            let name = "colour \(environment.directory)"
            let model = Result {
                try ManagedObjectModel {
                    Entity("Dye") { Attribute("colour", .transformable, transformer: .named(name)) }
                }
            }
            let stack = try environment.stack(model)
            let context = stack.context()
            let dye = try context.insert("Dye")
            try expectStoreError(.wrongValue) { try dye.setValue(Colour(red: 3), forKey: "colour") }
            ValueTransformer.register(
                ValueTransformer(name: name, Colour.self) {
                    Data([$0.red])
                } decode: {
                    Colour(red: $0.first ?? 0)
                })
            try dye.setValue(Colour(red: 3), forKey: "colour")
            try context.save()
            let read = try unwrap(stack.reopened().context().all("Dye").first)
            try expectEqual(try read.value(forKey: "colour") as? Colour, Colour(red: 3))
        }
    }
}
