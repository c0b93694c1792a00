import Strata
import StrataInMemory
import StrataTestModels
import StrataTestRandom
import Testing

@Suite("Single steps in ordered relationships")
struct OrderStepTests {
    private let coordinator: PersistentStoreCoordinator

    init() throws {
        coordinator = PersistentStoreCoordinator(
            model: try ManagedObjectModel {
                Entity("List") {
                    Attribute("name", .string)
                    Relationships(["items": .ordered("Item.list"), "links": .ordered("Item.lists")])
                }
                Entity("Item") { Relationships(["list": .toOne("List.items"), "lists": .toMany("List.links")]) }
            })
        try coordinator.addStore(StoreDescription(.inMemory))
    }

    @Test(
        "Steps do to a relationship what they do to an array, with undo, saves and refreshing between them", arguments: ["items", "links"],
        [6, 400])
    func oracle(key: String, count: Int) throws {
        var random = SeededGenerator.printed("\(key) of \(count)")
        let context = ManagedObjectContext(coordinator)
        context.undoManager = UndoManager()
        let list = try context.insert("List")
        let items = try (0..<count).map { _ in try context.insert("Item") }
        let members = try list.mutableOrderedSetValue(forKey: key)
        var expected = Array(items.prefix(count / 2))
        members.append(contentsOf: expected)
        try context.save()
        try context.processPendingChanges()
        var earlier: [[ManagedObject]] = []
        for step in 0..<300 {
            let before = expected
            let (index, item) = (Int.random(in: 0...expected.count, using: &random), random.pick(items))
            switch Int.random(in: 0..<8, using: &random) {
            case 0:
                expected.removeAll { $0 === item }
                expected.append(item)
                members.append(item)
            case 1:
                let old = expected.firstIndex(of: item)
                expected.insert(item, at: index)
                if let old { expected.remove(at: old < index ? old : old + 1) }
                members.insert(item, at: index)
            case 2 where index < expected.count:
                #expect(members.remove(at: index) === expected.remove(at: index))
            case 3 where index < expected.count:
                let other = Int.random(in: expected.indices, using: &random)
                expected.insert(expected.remove(at: index), at: other)
                members.move(from: index, to: other)
            case 4:
                expected.removeAll { $0 === item }
                members.remove(item)
            case 5 where !earlier.isEmpty:
                expected = earlier.removeLast()
                try context.undo()
            case 6 where step % 5 == 0: try context.save()
            case 7 where step % 7 == 0: context.refresh(list, mergeChanges: true)
            default: #expect(members.firstIndex(of: item) == expected.firstIndex(of: item))
            }
            try context.processPendingChanges()
            #expect(members.count == expected.count)
            if before != expected, context.undoManager?.undoCount == earlier.count + 2 { earlier.append(before) }
            if step % 10 == 0 { #expect(Array(members) == expected, "step \(step)") }
        }
        #expect(Array(members) == expected)
        try context.save()
        let other = ManagedObjectContext(coordinator)
        let stored = try withExtendedLifetime(other) { try other.object(with: list.objectID).objectIDs(forRelationshipNamed: key) }
        #expect(stored == expected.map(\.objectID))
    }

    // A position was searched among all former members: restoring each of n members took O(n).
    @Test("Members that return in any order take their former positions, behind those that were added meanwhile")
    func restored() throws {
        let context = ManagedObjectContext(coordinator)
        let list = try context.insert("List")
        let items = try (0..<600).map { _ in try context.insert("Item") }
        try list.setValue(items, forKey: "items")
        try context.save()
        for item in items { try item.setValue(nil, forKey: "list") }
        let new = try context.insert("Item")
        try new.setValue(list, forKey: "list")
        var random = SeededGenerator.printed("restored members")
        for item in items.shuffled(using: &random) { try item.setValue(list, forKey: "list") }
        #expect(try list.value(forKey: "items") as? [ManagedObject] == items + [new])
    }
}
