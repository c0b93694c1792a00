import CoreData
import Foundation
import Testing

@Suite("L0-g: dictionaries, and distinct ones") @MainActor
struct L0gDictionaries {
    private func rows(_ context: NSManagedObjectContext, distinct: Bool) throws -> [String] {
        let request = NSFetchRequest<NSDictionary>(entityName: "User")
        request.propertiesToFetch = ["name", "age"]
        request.resultType = .dictionaryResultType
        request.returnsDistinctResults = distinct
        request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: true)]
        return try context.fetch(request).map { row in
            let (name, age) = (row["name"] as? String, row["age"] as? Int)
            return "{name=\(name ?? "none"), age=\(age ?? -1)}, \(row.count)"
        }
    }

    @Test("Three rows, of which two are equal", arguments: StoreKind.allCases)
    func dictionaries(_ kind: StoreKind) throws {
        let stack = try Stack(Users.model, kind)
        try Users.insert(
            [
                ["id": "1", "name": "张三", "age": 18], ["id": "2", "name": "李四", "age": 19], ["id": "3", "name": "李四", "age": 19],
            ], into: stack.context)
        #expect(
            try rows(stack.context, distinct: false)
                == ["{name=张三, age=18}, 2", "{name=李四, age=19}, 2", "{name=李四, age=19}, 2"])
        #expect(try rows(stack.context, distinct: true) == ["{name=张三, age=18}, 2", "{name=李四, age=19}, 2"])
        #expect(!NSFetchRequest<NSDictionary>(entityName: "User").returnsDistinctResults)
    }
}
