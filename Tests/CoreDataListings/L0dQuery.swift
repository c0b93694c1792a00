import CoreData
import Testing

extension NSManagedObjectContext {
    fileprivate func query<T: NSManagedObject>(_ predicateString: String? = nil) throws -> [T] {
        let request = (T.fetchRequest() as Any) as? NSFetchRequest<T> ?? NSFetchRequest<T>(entityName: "\(T.self)")
        if let predicateString {
            request.predicate = NSPredicate(format: predicateString, "")
        }
        return try fetch(request)
    }
}

@Suite("L0-d: a query by the text of its predicate") @MainActor
struct L0dQuery {
    @Test("All users, one, and none", arguments: StoreKind.allCases)
    func querying(_ kind: StoreKind) throws {
        let stack = try Users.stack(kind)
        let all: [User] = try stack.context.query()
        #expect(Set(all.map(\.id)) == ["0001", "0002", "0003", "0004", "0005"])
        let one: [User] = try stack.context.query("id == '0003'")
        #expect(one.map(\.name) == ["张五"])
        let none: [User] = try stack.context.query("name == \"nobody\"")
        #expect(none.isEmpty)
    }

    @Test("The class's own request", arguments: StoreKind.allCases)
    func fetchRequest(_ kind: StoreKind) throws {
        let stack = try Users.stack(kind)
        let request: NSFetchRequest<any NSFetchRequestResult> = User.fetchRequest()
        request.predicate = NSPredicate(format: "id == %@", "0001")
        let found = try stack.context.fetch(request) as? [User]
        #expect(found?.map(\.name) == ["张三"])
    }
}
