import CoreData
import Testing

@Suite("Committed values")
struct CommittedValueTests {
    @Test("To-many relationships are sets of objects, as of the last save, and ordered sets where they have an order")
    func toMany() throws {
        let context = try OwnersModel.makeContext()
        let owner = context.make("Owner", "o")
        #expect(owner.committedValues(forKeys: ["pets"]).isEmpty)
        #expect(owner.committedValues(forKeys: nil).isEmpty)
        let pets = ["a", "b"].map { context.make("Pet", $0) }
        let visits = ["1", "2", "3"].map { context.make("Visit", $0) }
        owner.setValue(NSSet(array: pets), forKey: "pets")
        owner.setValue(NSOrderedSet(array: visits), forKey: "visits")
        try context.save()
        owner.setValue(NSSet(array: [pets[1]]), forKey: "pets")
        owner.setValue(NSOrderedSet(array: [visits[2], visits[0]]), forKey: "visits")
        let committed = owner.committedValues(forKeys: nil)
        #expect(committed["pets"] as? NSSet == NSSet(array: pets))
        #expect(committed["visits"] as? NSOrderedSet == NSOrderedSet(array: visits))
        #expect(committed["friends"] as? NSSet == NSSet())
        #expect(committed["note"] is NSNull)
        #expect(pets[0].committedValues(forKeys: ["owner"])["owner"] as? NSManagedObject === owner)
        try context.save()
        #expect(owner.committedValues(forKeys: ["pets"])["pets"] as? Set<NSManagedObject> == [pets[1]])
    }
}
