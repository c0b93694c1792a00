import CoreData
import Foundation
import Testing

@Suite("L0-j: a batch insert of five users") @MainActor
struct L0jBatchInsert {
    private func check(_ request: NSBatchInsertRequest, _ stack: Stack) throws {
        request.resultType = .objectIDs
        let result = try stack.context.execute(request) as? NSBatchInsertResult
        let ids = try #require(result?.result as? [NSManagedObjectID])
        #expect(Set(ids).count == 5)
        #expect(!stack.context.hasChanges)
        #expect(stack.context.registeredObjects.isEmpty)
        let users = try Users.all(stack.context)
        #expect(Set(users.map(\.objectID)) == Set(ids))
        #expect(users.map(\.id) == ["0001", "0002", "0003", "0004", "0005"])
        #expect(users.map(\.name) == ["张三", "张四", "张五", "张六", "张七"])
        #expect(users.map(\.age) == [2, 6, 8, 16, 18])
    }

    @Test("Of dictionaries", arguments: StoreKind.allCases)
    func dictionaries(_ kind: StoreKind) throws {
        try check(NSBatchInsertRequest(entityName: "User", objects: Users.five), Stack(Users.model, kind))
    }

    @Test("Of dictionaries that a handler fills", arguments: StoreKind.allCases)
    func dictionaryHandler(_ kind: StoreKind) throws {
        var rest = Users.five[...]
        let request = NSBatchInsertRequest(
            entity: User.entity(),
            dictionaryHandler: { dictionary in
                guard let next = rest.popFirst() else { return true }
                dictionary.addEntries(from: next)
                return false
            })
        try check(request, Stack(Users.model, kind))
    }

    @Test("Of objects that a handler fills", arguments: StoreKind.allCases)
    func objectHandler(_ kind: StoreKind) throws {
        var rest = Users.five[...]
        let request = NSBatchInsertRequest(
            entity: User.entity(),
            managedObjectHandler: { object in
                guard let next = rest.popFirst(), let user = object as? User else { return true }
                user.id = next["id"] as? String
                user.name = next["name"] as? String
                user.age = Int16(next["age"] as? Int ?? 0)
                return false
            })
        try check(request, Stack(Users.model, kind))
    }
}
