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
            switch Int.random(in: 0..<11, using: &random) {
            case 8 where !expected.isEmpty:
                let (first, second) = (Int.random(in: expected.indices, using: &random), Int.random(in: expected.indices, using: &random))
                expected.swapAt(first, second)
                members.swapAt(first, second)
            case 9 where index < expected.count:
                guard expected[index] !== item else { break }
                expected = expected[..<index].filter { $0 !== item } + [item] + expected[(index + 1)...].filter { $0 !== item }
                members[index] = item
            case 10:
                let range = index..<min(index + Int.random(in: 0..<4, using: &random), expected.count)
                let new = [item, random.pick(items), random.pick(items), item]
                let unique = new.indices.filter { new[..<$0].firstIndex(of: new[$0]) == nil }.map { new[$0] }
                expected =
                    expected[..<range.lowerBound].filter { !new.contains($0) } + unique
                    + expected[range.upperBound...].filter { !new.contains($0) }
                members.replaceSubrange(range, with: new)
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

    /// Returns a relationship with many members in a context that has no other object, and retains all.
    private func unread(_ key: String, _ count: Int) throws -> (
        context: ManagedObjectContext, members: MutableOrderedObjectSet<ManagedObject>
    ) {
        let maker = ManagedObjectContext(coordinator)
        let list = try maker.insert("List")
        try list.setValue((0..<count).map { _ in try maker.insert("Item") }, forKey: key)
        try maker.save()
        let context = ManagedObjectContext(coordinator)
        context.retainsRegisteredObjects = true
        return (context, try context.object(with: list.objectID).mutableOrderedSetValue(forKey: key))
    }

    // Each read all members and set them anew.
    @Test("Swaps and replacements concern few members", arguments: ["items", "links"], [100, 1_000])
    func swaps(key: String, count: Int) throws {
        let (context, members) = try unread(key, count)
        members.swapAt(1, count - 2)
        members[5] = try context.insert("Item")
        members.insert(contentsOf: [try context.insert("Item")], at: 7)
        members.removeSubrange(3..<5)
        #expect(members.count == count - 1)
        #expect(context.registeredObjects.count <= 12)
    }

    // All members were read to be numbered, and all links were written.
    @Test("A save of appended members concerns no other ones but the last", arguments: ["items", "links"], [100, 1_000])
    func appended(key: String, count: Int) throws {
        let (context, members) = try unread(key, count)
        var expected = members.map(\.objectID)
        context.reset()
        let coordinator = RecordingCoordinator(coordinator)
        let other = ManagedObjectContext(coordinator)
        other.retainsRegisteredObjects = true
        let list = try #require(try other.fetch(ObjectFetchRequest<ManagedObject>(entityName: "List")).first)
        let appended = try list.mutableOrderedSetValue(forKey: key)
        for step in 0..<4 {
            let item = try other.insert("Item")
            appended.append(item)
            if step == 2 { appended.remove(at: count) }
            if step == 2 { expected.remove(at: count) }
            try other.save()
            expected.append(item.objectID)
            let changes = try #require(coordinator.seen.saves.last?.parts.first?.changes)
            // The keys of links are known once the context wrote all of them.
            if step > 0 { #expect(changes.links.count == (key == "items" ? 0 : step == 2 ? 2 : 1)) }
            #expect(changes.updated.count <= 2)
        }
        if key == "items" { #expect(other.registeredObjects.count == 6) }
        let reader = ManagedObjectContext(coordinator)
        let stored = try withExtendedLifetime(reader) { try reader.object(with: list.objectID).objectIDs(forRelationshipNamed: key) }
        #expect(stored == expected)
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
