import Strata
import StrataTestModels
import Testing

@Suite("Orders and members that undo and redo restore")
struct UndoOrderTests {
    private static let model = Result.declared {
        Entity("List") {
            Relationships(["head": .toOne("Item.headOf"), "items": .ordered("Item.list"), "drafts": .toMany("Draft.list")])
        }
        Entity("Item") { Relationships(["headOf": .toOne("List.head"), "list": .toOne("List.items")]) }
        Entity("Draft") { Relationship("list", to: "List", inverse: "drafts", deleteRule: .cascade) }
    }

    private let context: ManagedObjectContext

    init() throws {
        let coordinator = try PersistentStoreCoordinator(inMemory: Self.model.get())
        context = ManagedObjectContext(coordinator)
        context.undoManager = UndoManager()
    }

    private func stored(_ list: ManagedObject) throws -> [ObjectID] {
        let other = ManagedObjectContext(context.coordinator)
        return try withExtendedLifetime(other) { try other.object(with: list.objectID).objectIDs(forRelationshipNamed: "items") }
    }

    /// The order was lost where it had to be loaded again: members were appended in the order in which the undo restored
    /// their references.
    @Test("An undone deletion restores an order that was refreshed meanwhile")
    func refreshedOrder() throws {
        let (list, first, second) = (try context.insert("List"), try context.insert("Item"), try context.insert("Item"))
        try list.setValue([first, second], forKey: "items")
        try list.setValue(second, forKey: "head")
        try context.save()
        context.delete(list)
        try context.processPendingChanges()
        context.refreshAllObjects()
        try context.undo()
        #expect(try list.value(forKey: "items") as? [ManagedObject] == [first, second])
        try context.save()
        #expect(try stored(list) == [first.objectID, second.objectID])
        try context.redo()
        try context.save()
        try context.undo()
        #expect(try list.value(forKey: "items") as? [ManagedObject] == [first, second])
        try context.save()
        #expect(try stored(list) == [first.objectID, second.objectID])
    }

    /// An undo removed a new member from an order that was not loaded, so that nothing recorded the order: the redo
    /// appended the member.
    @Test("A redone insertion restores an order that was not loaded when it was undone", arguments: [false, true])
    func unloadedOrder(isDeleted: Bool) throws {
        let (list, last) = (try context.insert("List"), try context.insert("Item"))
        try list.setValue([last], forKey: "items")
        try context.save()
        let first = try context.insert("Item")
        try list.setValue([first, last], forKey: "items")
        try context.processPendingChanges()
        if isDeleted {
            context.delete(first)
            try context.undo()
        }
        context.refreshAllObjects()
        if isDeleted { try context.redo() }
        try context.undo()
        if !isDeleted { try context.redo() }
        #expect(try list.value(forKey: "items") as? [ManagedObject] == [first, last])
        try context.save()
        #expect(try stored(list) == [first.objectID, last.objectID])
    }

    /// The deleted object kept its reference, so that its owner, which its delete rule had deleted, kept it as a member.
    @Test("An undone deletion restores no member that was inserted and deleted in the same step")
    func memberOfStep() throws {
        let list = try context.insert("List")
        try context.processPendingChanges()
        try context.undoManager?.group {
            let draft = try context.insert("Draft")
            try draft.setValue(list, forKey: "list")
            context.delete(draft)
        }
        #expect(list.isDeleted)
        try context.undo()
        #expect(!list.isDeleted)
        #expect((try list.value(forKey: "drafts") as? Set<ManagedObject>)?.isEmpty == true)
        try context.save()
        #expect(try context.count(for: ObjectFetchRequest<ManagedObject>(entityName: "Draft")) == 0)
    }
}
