import CoreData
import Foundation
import Testing

@Suite("L4-c: a count") @MainActor
struct L4cCount {
    private func _getCount(entity: String, predicate: NSPredicate?, _ context: NSManagedObjectContext) -> Int {
        let fetchRequest = NSFetchRequest<NSNumber>(entityName: entity)
        fetchRequest.predicate = predicate
        fetchRequest.resultType = .countResultType
        return (try? context.fetch(fetchRequest).first!.intValue) ?? -1
    }

    @Test("It is a list of one number", arguments: StoreKind.allCases)
    func counting(_ kind: StoreKind) throws {
        let stack = try Users.stack(kind)
        #expect(_getCount(entity: "User", predicate: nil, stack.context) == 5)
        #expect(_getCount(entity: "User", predicate: NSPredicate(format: "age < 10"), stack.context) == 3)
        #expect(_getCount(entity: "User", predicate: NSPredicate(value: false), stack.context) == 0)
        _ = User(context: stack.context)
        #expect(_getCount(entity: "User", predicate: nil, stack.context) == 6)
    }
}
