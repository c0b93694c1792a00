import CoreData
import Foundation
import Testing

@Suite("L4-e: settings of a container's context") @MainActor
struct L4eSettings {
    @Test("What others save arrives by itself", arguments: StoreKind.allCases)
    func merging(_ kind: StoreKind) async throws {
        let stack = try Stack(Users.model, kind)
        #expect(!stack.context.automaticallyMergesChangesFromParent)
        let policy = stack.context.mergePolicy as? NSMergePolicy
        #expect(policy?.mergeType == .errorMergePolicyType)
        stack.context.automaticallyMergesChangesFromParent = true
        stack.context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
        try Users.insert(Users.five, into: stack.context)
        let users = try Users.all(stack.context)
        users[0].name = "李四"
        try await stack.container.performBackgroundTask { context in
            for user in try context.fetch(NSFetchRequest<User>(entityName: "User")) {
                user.name = "王五"
                user.age = 40
            }
            try context.save()
        }
        // The merge is sent to the main queue.
        for _ in 0..<60_000 where users[1].age != 40 { try await Task.sleep(for: .milliseconds(10)) }
        #expect(users.map(\.age) == [40, 40, 40, 40, 40])
        #expect(users.map(\.name) == ["李四", "王五", "王五", "王五", "王五"])
        try stack.context.save()
        stack.context.reset()
        #expect(try Users.all(stack.context).map(\.name) == ["李四", "王五", "王五", "王五", "王五"])
    }
}
