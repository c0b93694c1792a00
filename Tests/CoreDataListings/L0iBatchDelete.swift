import CoreData
import Testing

@Suite("L0-i: batch deletes, and what a context knows of them") @MainActor
struct L0iBatchDelete {
    @Test("An object that was deleted and saved has no values", arguments: StoreKind.allCases)
    func ordinary(_ kind: StoreKind) throws {
        let stack = try Users.stack(kind)
        let user = try Users.all(stack.context)[0]
        stack.context.delete(user)
        try stack.context.save()
        #expect(user.id == nil)
    }

    private func delete(_ request: NSBatchDeleteRequest, _ context: NSManagedObjectContext) throws -> [NSManagedObjectID] {
        request.resultType = .resultTypeObjectIDs
        let result = try context.execute(request) as? NSBatchDeleteResult
        return try #require(result?.result as? [NSManagedObjectID])
    }

    private func check(_ request: NSBatchDeleteRequest, _ user: User, _ context: NSManagedObjectContext) throws {
        #expect(user.id == "0001")
        let ids = try delete(request, context)
        #expect(ids == [user.objectID])
        #expect(user.id == "0001")
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [NSDeletedObjectsKey: ids], into: [context])
        #expect(user.id == nil)
        #expect(try Users.all(context).count == 4)
    }

    @Test("By a request", arguments: StoreKind.allCases)
    func byRequest(_ kind: StoreKind) throws {
        let stack = try Users.stack(kind)
        let request: NSFetchRequest<any NSFetchRequestResult> = User.fetchRequest()
        request.predicate = NSPredicate(format: "id == %@", "0001")
        try check(NSBatchDeleteRequest(fetchRequest: request), try Users.all(stack.context)[0], stack.context)
    }

    @Test("By IDs", arguments: StoreKind.allCases)
    func byIDs(_ kind: StoreKind) throws {
        let stack = try Users.stack(kind)
        let user = try Users.all(stack.context)[0]
        try check(NSBatchDeleteRequest(objectIDs: [user.objectID]), user, stack.context)
    }

    @Test("Rules of cascade and nullify are followed", arguments: StoreKind.allCases)
    func rules(_ kind: StoreKind) throws {
        for (rule, left) in [(NSDeleteRule.cascadeDeleteRule, 0), (.nullifyDeleteRule, 3)] {
            let stack = try Stack(Companies.model(rule), kind)
            try Companies.insert(into: stack.context)
            let request = NSBatchDeleteRequest(fetchRequest: NSFetchRequest<any NSFetchRequestResult>(entityName: "Company"))
            let result = try stack.context.execute(request) as? NSBatchDeleteResult
            #expect(result?.result as? Bool == true)
            stack.context.reset()
            let positions = try stack.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Position"))
            #expect(positions.count == left)
            #expect(positions.allSatisfy { $0.value(forKey: "company") == nil })
        }
    }
}
