import CoreData
import Testing

extension NSManagedObjectContext {
    private func query<T: NSManagedObject>(_ format: String) throws -> [T] {
        let request = NSFetchRequest<T>(entityName: "\(T.self)")
        request.predicate = NSPredicate(format: format)
        return try fetch(request)
    }

    @discardableResult
    fileprivate func delete<T: NSManagedObject>(_ type: T.Type, where format: String) throws -> [T] {
        let objects: [T] = try query(format)
        for object in objects { delete(object) }
        try save()
        return objects
    }

    fileprivate func modify<T: NSManagedObject>(_ type: T.Type, where format: String, _ change: (T) -> Void) throws {
        let objects: [T] = try query(format)
        objects.forEach(change)
        if hasChanges { try save() }
    }
}

@Suite("L0-h: helpers that delete and modify") @MainActor
struct L0hHelpers {
    @Test("What is found is deleted, and given back", arguments: StoreKind.allCases)
    func deleting(_ kind: StoreKind) throws {
        let stack = try Users.stack(kind)
        let deleted = try stack.context.delete(User.self, where: "age < 10")
        #expect(deleted.count == 3)
        #expect(deleted.allSatisfy { $0.managedObjectContext == nil })
        #expect(try Users.all(stack.context).map(\.name) == ["张六", "张七"])
    }

    @Test("What is found is modified", arguments: StoreKind.allCases)
    func modifying(_ kind: StoreKind) throws {
        let stack = try Users.stack(kind)
        try stack.context.modify(User.self, where: "age >= 16") { $0.age += 1 }
        let other = stack.container.newBackgroundContext()
        let ages = try other.performAndWait {
            try other.fetch(NSFetchRequest<User>(entityName: "User")).map(\.age).sorted()
        }
        #expect(ages == [2, 6, 8, 17, 19])
    }
}
