import CoreData
import Testing

@Suite("L0-f: order and pages") @MainActor
struct L0fPaging {
    private func page(_ page: Int, size: Int, _ context: NSManagedObjectContext) throws -> [String?] {
        let request = NSFetchRequest<User>(entityName: "User")
        request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: false), NSSortDescriptor(key: "id", ascending: true)]
        request.fetchLimit = size
        request.fetchOffset = page * size
        return try context.fetch(request).map(\.id)
    }

    @Test("Pages of ten of twenty-five users", arguments: StoreKind.allCases)
    func pages(_ kind: StoreKind) throws {
        let stack = try Stack(Users.model, kind)
        let ids = (0..<25).map { $0 < 10 ? "0\($0)" : "\($0)" }
        try Users.insert(ids.map { ["id": $0, "age": $0 < "05" ? 20 : 10] }.shuffled(), into: stack.context)
        #expect(try page(0, size: 10, stack.context) == Array(ids[..<10]))
        #expect(try page(1, size: 10, stack.context) == Array(ids[10..<20]))
        #expect(try page(2, size: 10, stack.context) == Array(ids[20...]))
        #expect(try page(3, size: 10, stack.context) == [])
    }
}
