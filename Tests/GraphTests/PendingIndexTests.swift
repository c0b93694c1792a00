import FoundationEssentials
import Strata
import StrataInMemory
import StrataTestModels
import StrataTestRandom
import Testing

@testable import StrataGraph

@Suite("Fetches among many pending changes")
struct PendingIndexTests {
    private static let names = ["a", "B", "b", "é", "E\u{301}", ""]

    private let coordinator: PersistentStoreCoordinator

    init() throws {
        coordinator = PersistentStoreCoordinator(
            model: try ManagedObjectModel {
                Entity("Thing") {
                    Attributes(["name": .string, "number": .integer32, "key": .uuid, "date": .date, "size": .float])
                    Relationship("box", to: "Box", inverse: "things")
                }
                Entity("Toy", parent: "Thing") { Attribute("price", .double) }
                Entity("Tool", parent: "Thing") { Attribute("weight", .integer64) }
                Entity("Box") { Relationship("things", to: "Thing", inverse: "box", .toMany, deleteRule: .cascade) }
            })
        try coordinator.addStore(StoreDescription(.inMemory))
    }

    private func date(_ number: Int) -> Date { Date(timeIntervalSinceReferenceDate: Double(number)) }

    private func uuid(_ number: Int) -> UUID { UUID(uuid: (UInt8(number), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)) }

    /// Compares fetches of a context with tests of all of its objects.
    private func compare(_ context: ManagedObjectContext, _ random: inout SeededGenerator) throws {
        let entity = random.pick(["Thing", "Thing", "Toy", "Tool"])
        let number = Int.random(in: -1..<6, using: &random)
        let boxes = try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Box"))
        let box = boxes.isEmpty ? nil : random.pick(boxes)
        let predicate: QueryPredicate =
            switch Int.random(in: 0..<13, using: &random) {
            case 7: try QueryPredicate(format: "name ==[c] %@", random.pick(Self.names))
            case 8: try QueryPredicate(format: "name ==[cd] %@", random.pick(Self.names))
            case 9: try QueryPredicate(format: "date == %@ OR date == nil", date(number))
            case 10: try QueryPredicate(format: "date == %@ AND size == %f", date(number), Double(number))
            case 11: try box.map { try QueryPredicate(format: "box == %@ AND size != 2", $0) } ?? QueryPredicate(format: "box == nil")
            case 12: try QueryPredicate(format: "box IN %@", Array(boxes.prefix(2)))
            case 0: try QueryPredicate(format: "number == \(number)")
            case 1: try QueryPredicate(format: "number == nil")
            case 2: try QueryPredicate(format: "name == %@", random.pick(Self.names))
            case 3: try QueryPredicate(format: "name IN %@ AND number > 2", [random.pick(Self.names), random.pick(Self.names)])
            case 4: try QueryPredicate(format: "number IN {1, 3, \(number)}")
            case 5: try QueryPredicate(format: "key == %@", uuid(number + 1))
            default: try QueryPredicate(format: "number == \(number) AND box != nil")
            }
        var request = ObjectFetchRequest<ManagedObject>(entityName: entity, predicate)
        request.sort = [QuerySort("number"), QuerySort("name")]
        let all = try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: entity, sort: request.sort))
        let expected = try all.filter { try predicate.evaluate(with: $0) }
        #expect(try context.fetch(request) == expected, "\(predicate)")
        #expect(try context.count(for: request) == expected.count)
        request.limit = 2
        #expect(try context.fetch(request) == Array(expected.prefix(2)))
    }

    private func change(_ context: ManagedObjectContext, _ random: inout SeededGenerator) throws {
        let things = try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Thing", sort: [QuerySort("number")]))
        let boxes = try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Box"))
        switch Int.random(in: 0..<8, using: &random) {
        case 0, 1:
            let thing = try context.insert(random.pick(["Thing", "Toy", "Tool"]))
            try thing.setValue(Int.random(in: 0..<6, using: &random), forKey: "number")
            try thing.setValue(random.pick(Self.names), forKey: "name")
            try thing.setValue(uuid(Int.random(in: 0..<6, using: &random)), forKey: "key")
            try thing.setValue(date(Int.random(in: 0..<6, using: &random)), forKey: "date")
            try thing.setValue(Double(Int.random(in: 0..<6, using: &random)), forKey: "size")
        case 2 where things.count > 30: context.delete(random.pick(things))
        case 3 where boxes.count > 2: context.delete(random.pick(boxes))
        case 4: try context.insert("Box").setValue(Set(things.prefix(2)), forKey: "things")
        default:
            guard !things.isEmpty else { return }
            let thing = random.pick(things)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: try thing.setValue(random.pick(Self.names), forKey: "name")
            case 1: try thing.setValue(nil, forKey: "number")
            case 2: try thing.setValue(uuid(Int.random(in: 0..<6, using: &random)), forKey: "key")
            case 3 where !boxes.isEmpty: try thing.setValue(random.pick(boxes), forKey: "box")
            default: try thing.setValue(Int.random(in: 0..<6, using: &random), forKey: "number")
            }
        }
    }

    // Without an undo manager, assignments take the short path.
    @Test(
        "Answers are those of testing every object, over changes, undo, rollback, refreshing, saves, and a child's saves",
        arguments: [true, false])
    func oracle(isUndoable: Bool) throws {
        var random = SeededGenerator.printed("pending changes")
        let context = ManagedObjectContext(coordinator)
        if isUndoable { context.undoManager = UndoManager() }
        for _ in 0..<90 { try change(context, &random) }
        try context.save()
        for step in 0..<400 {
            try change(context, &random)
            switch Int.random(in: 0..<40, using: &random) {
            case 0: try context.save()
            case 1 where step % 3 == 0: context.rollback()
            case 2, 3, 4: if isUndoable { try context.undo() }
            case 5: if isUndoable { try context.redo() }
            case 6, 7:
                let things = try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Thing"))
                for thing in things.prefix(5) { context.refresh(thing, mergeChanges: Bool.random(using: &random)) }
            case 8:
                let child = ManagedObjectContext(parent: context)
                for _ in 0..<40 { try change(child, &random) }
                for _ in 0..<5 { try compare(child, &random) }
                try child.save()
            case 9:
                let other = ManagedObjectContext(coordinator)
                if let thing = try other.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Thing", limit: 1)).first {
                    try thing.setValue(Int.random(in: 0..<6, using: &random), forKey: "number")
                    try other.save()
                }
                context.refreshAllObjects()
                context.mergePolicy = .mergeByPropertyObjectTrump
            default: break
            }
            try compare(context, &random)
        }
        #expect(context.tracker.list.indexes.pending != nil)
    }

    // Each fetch of an import that looks for an object before it makes one tested all objects that it had made.
    @Test("A fetch for a value packs only the objects that were changed since the last one")
    func steps() throws {
        let context = ManagedObjectContext(coordinator)
        for number in 0..<200 {
            let request = ObjectFetchRequest<ManagedObject>(
                entityName: "Thing", try QueryPredicate(format: "number == \(number % 150)"), limit: 1)
            if try context.fetch(request).isEmpty { try context.insert("Thing").setValue(number, forKey: "number") }
        }
        #expect(try context.count(for: ObjectFetchRequest<ManagedObject>(entityName: "Thing")) == 150)
        let index = try #require(context.tracker.list.indexes.pending)
        #expect(index.packedCount == 150)
    }

    @Test("So does one for a date, an object, or a text regardless of case", arguments: ["date", "box", "name"])
    func otherSteps(key: String) throws {
        let context = ManagedObjectContext(coordinator)
        for number in 0..<200 {
            let box = try context.insert("Box")
            let (value, predicate): (Any, QueryPredicate) =
                switch key {
                case "date": (date(number), try QueryPredicate(format: "date == %@", date(number)))
                case "box": (box, try QueryPredicate(format: "box == %@", box))
                default: ("N\(number)", try QueryPredicate(format: "name ==[c] %@", "n\(number)"))
                }
            #expect(try context.count(for: ObjectFetchRequest<ManagedObject>(entityName: "Thing", predicate)) == 0)
            try context.insert("Thing").setValue(value, forKey: key)
        }
        #expect(try #require(context.tracker.list.indexes.pending).packedCount == 199)
    }
}
