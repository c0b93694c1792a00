import CoreData
import Testing

extension NSManagedObjectContext {
    /// A new object of the entity that is named as its class.
    fileprivate func createInContext<T: NSManagedObject>() -> T {
        NSEntityDescription.insertNewObject(forEntityName: "\(T.self)", into: self) as! T
    }
}

@Suite("L0-b: a new object by the name of its class") @MainActor
struct L0bCreate {
    @Test("Objects of two classes", arguments: StoreKind.allCases)
    func creating(_ kind: StoreKind) throws {
        let stack = try Stack(Users.model, kind)
        let user: User = stack.context.createInContext()
        user.name = "张三"
        #expect(user.isInserted)
        #expect(user.entity.name == "User")
        #expect(user.age == 0)
        #expect(stack.context.insertedObjects == [user])
        try stack.context.save()
        #expect(!user.isInserted)
        #expect(try Users.all(stack.context) == [user])
    }
}
