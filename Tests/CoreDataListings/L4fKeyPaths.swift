import CoreData
import Testing

@Suite("L4-f: order by a key path, and a filter in memory") @MainActor
struct L4fKeyPaths {
    @Test("They agree with keys and predicates", arguments: StoreKind.allCases)
    func keyPaths(_ kind: StoreKind) throws {
        let stack = try Users.stack(kind)
        let request = NSFetchRequest<User>(entityName: "User")
        request.sortDescriptors = [NSSortDescriptor(keyPath: \User.age, ascending: false)]
        let users = try stack.context.fetch(request)
        #expect(users.map(\.age) == [18, 16, 8, 6, 2])
        #expect(users.filter { $0.age < 10 }.map(\.id) == ["0003", "0002", "0001"])
        #expect(NSSortDescriptor(keyPath: \User.age, ascending: false).key == "age")
        // What libraries make predicates of key paths with.
        #expect((\User.age as AnyKeyPath)._kvcKeyPathString == "age")
        #expect((\User.age)._kvcKeyPathString == "age")
        request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: false)]
        #expect(try stack.context.fetch(request) == users)
    }
}
