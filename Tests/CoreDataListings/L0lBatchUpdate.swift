import CoreData
import Testing

@Suite("L0-l: a batch update, without a merge and with one") @MainActor
struct L0lBatchUpdate {
    @Test("Users under ten are renamed", arguments: StoreKind.allCases)
    func renaming(_ kind: StoreKind) throws {
        let stack = try Users.stack(kind)
        let young = NSPredicate(format: "age < 10")
        let users = try Users.all(stack.context, young)
        #expect(users.map(\.name) == ["张三", "张四", "张五"])
        let request = NSBatchUpdateRequest(entityName: "User")
        request.predicate = young
        request.propertiesToUpdate = ["name": "李四"]
        request.resultType = .updatedObjectIDsResultType
        let result = try stack.context.execute(request) as? NSBatchUpdateResult
        let ids = try #require(result?.result as? [NSManagedObjectID])
        #expect(Set(ids) == Set(users.map(\.objectID)))
        #expect(users.map(\.name) == ["张三", "张四", "张五"])
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [NSUpdatedObjectsKey: ids], into: [stack.context])
        #expect(users.map(\.name) == ["李四", "李四", "李四"])
        #expect(try Users.all(stack.context).map(\.name) == ["李四", "李四", "李四", "张六", "张七"])
    }

    @Test("The other results, and an expression", arguments: StoreKind.allCases)
    func results(_ kind: StoreKind) throws {
        let stack = try Users.stack(kind)
        let request = NSBatchUpdateRequest(entity: User.entity())
        request.propertiesToUpdate = ["age": NSExpression(format: "age + 1")]
        request.resultType = .updatedObjectsCountResultType
        let counted = try stack.context.execute(request) as? NSBatchUpdateResult
        #expect(counted?.result as? Int == 5)
        request.propertiesToUpdate = ["age": NSExpression(forConstantValue: 40)]
        request.resultType = .statusOnlyResultType
        let done = try stack.context.execute(request) as? NSBatchUpdateResult
        #expect(done?.result as? Bool == true)
        stack.context.refreshAllObjects()
        #expect(try Users.all(stack.context).map(\.age) == [40, 40, 40, 40, 40])
    }
}
