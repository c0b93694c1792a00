import CoreData
import Testing

@Suite("L0-k: two users of one ID, under the five merge policies") @MainActor
struct L0kMergePolicies {
    private static let outcomes: [(policy: NSMergePolicy, isRefused: Bool, name: String)] = [
        (.error, true, "张八"), (.mergeByPropertyStoreTrump, false, "张八"), (.mergeByPropertyObjectTrump, false, "张九"),
        (.overwrite, false, "张九"), (.rollback, false, "张八"),
    ]
    private static let first: [String: Any] = ["id": "0006", "name": "张八", "age": 16]
    private static let second: [String: Any] = ["id": "0006", "name": "张九", "age": 18]

    private func check(_ kind: StoreKind, _ requests: [[[String: Any]]]) throws {
        for outcome in Self.outcomes {
            let stack = try Stack(Users.model, kind)
            stack.context.mergePolicy = outcome.policy
            var failure: NSError?
            for objects in requests {
                do {
                    try stack.context.execute(NSBatchInsertRequest(entityName: "User", objects: objects))
                } catch let error as NSError {
                    failure = error
                }
            }
            #expect(try Users.all(stack.context).map(\.name) == [outcome.name], "\(outcome.policy.mergeType)")
            #expect((failure != nil) == outcome.isRefused, "\(outcome.policy.mergeType)")
            #expect(failure.map { $0.domain == NSCocoaErrorDomain } ?? true)
        }
    }

    @Test("The first was stored before", arguments: StoreKind.allCases)
    func requests(_ kind: StoreKind) throws { try check(kind, [[Self.first], [Self.second]]) }

    @Test("Both are in one request", arguments: StoreKind.allCases)
    func oneRequest(_ kind: StoreKind) throws { try check(kind, [[Self.first, Self.second]]) }

    @Test("The second is saved by a context", arguments: StoreKind.allCases)
    func contexts(_ kind: StoreKind) throws {
        for outcome in Self.outcomes {
            let stack = try Stack(Users.model, kind)
            try Users.insert([Self.first], into: stack.context)
            let context = NSManagedObjectContext(.mainQueue)
            context.persistentStoreCoordinator = stack.container.persistentStoreCoordinator
            context.mergePolicy = outcome.policy
            do {
                try Users.insert([Self.second], into: context)
                #expect(!outcome.isRefused)
            } catch let error as NSError {
                #expect(outcome.isRefused)
                #expect(error.domain == NSCocoaErrorDomain)
                #expect(error.code == NSManagedObjectConstraintMergeError)
                let conflicts = error.userInfo["conflictList"] as? [NSConstraintConflict]
                #expect(conflicts?.first?.constraint == ["id"])
                #expect(conflicts?.first?.constraintValues["id"] as? String == "0006")
                #expect(conflicts?.first?.databaseSnapshot?["name"] as? String == "张八")
            }
            stack.context.reset()
            #expect(try Users.all(stack.context).map(\.name) == [outcome.name], "\(outcome.policy.mergeType)")
        }
    }

    @Test("The global names are those of the policies")
    func names() {
        let names: [Any] = [
            NSErrorMergePolicy, NSMergeByPropertyStoreTrumpMergePolicy, NSMergeByPropertyObjectTrumpMergePolicy, NSOverwriteMergePolicy,
            NSRollbackMergePolicy,
        ]
        #expect(names.map { ($0 as? NSMergePolicy)?.mergeType } == Self.outcomes.map(\.policy.mergeType))
    }
}
