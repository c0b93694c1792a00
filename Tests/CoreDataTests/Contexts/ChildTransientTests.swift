import CoreData
import Testing

/// A child's save told its parent of rows alone, and what transient attributes held stayed behind.
struct ChildTransientTests {
    private let parent: NSManagedObjectContext
    private let child: NSManagedObjectContext

    init() throws {
        let model = OneEntityModel.make("Note", "text", .stringAttributeType)
        let draft = PeopleModel.attribute("draft", .stringAttributeType)
        draft.isTransient = true
        try model.entity("Note").properties.append(draft)
        parent = try MemoryStack.context(of: model)
        child = parent.makeChild()
    }

    @Test("The transient values of a new object come to the parent") func inserting() throws {
        let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: child)
        note.setValue("first", forKey: "draft")
        try child.save()
        try parent.performAndWait {
            let own = try #require(parent.insertedObjects.first)
            #expect(own.value(forKey: "draft") as? String == "first")
        }
    }

    @Test("Those of a changed object come as well, be it that nothing else of it is changed") func updating() throws {
        let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: child)
        try child.save()
        try parent.performAndWait { try parent.save() }
        note.setValue("later", forKey: "draft")
        try child.save()
        try parent.performAndWait {
            let own = try #require(try parent.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note")).first)
            #expect(own.value(forKey: "draft") as? String == "later")
            #expect(parent.updatedObjects == [own])
        }
    }
}
