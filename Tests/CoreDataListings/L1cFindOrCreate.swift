import CoreData
import Foundation
import Testing

@Suite("L1-c: find or create, in a context's block") @MainActor
struct L1cFindOrCreate {
    nonisolated private static func findOrCreate(_ id: String, in context: NSManagedObjectContext) throws -> NSManagedObjectID {
        let request = NSFetchRequest<NSManagedObjectID>(entityName: "User")
        request.predicate = NSPredicate(format: "id == %@", id)
        request.resultType = .managedObjectIDResultType
        request.fetchLimit = 1
        if let found = try context.fetch(request).first { return found }
        let user = User(context: context)
        user.id = id
        try context.save()
        return user.objectID
    }

    @Test("The second time it is found", arguments: StoreKind.allCases)
    func twice(_ kind: StoreKind) async throws {
        let stack = try Stack(Users.model, kind)
        let context = stack.container.newBackgroundContext()
        let first = try await context.perform { try Self.findOrCreate("0001", in: context) }
        let second = try await context.perform(schedule: .enqueued) { try Self.findOrCreate("0001", in: context) }
        #expect(first == second)
        #expect(!first.isTemporaryID)
        let found = try #require(try stack.context.existingObject(with: first) as? User)
        #expect(found.id == "0001")
    }

    @Test("In a block that nobody waits for", arguments: StoreKind.allCases)
    func block(_ kind: StoreKind) async throws {
        let stack = try Stack(Users.model, kind)
        let context = stack.container.newBackgroundContext()
        let id: NSManagedObjectID = try await withCheckedThrowingContinuation { continuation in
            context.perform { continuation.resume(with: Result { try Self.findOrCreate("0001", in: context) }) }
        }
        #expect(try Users.all(stack.context).map(\.objectID) == [id])
        #expect(stack.container.persistentStoreCoordinator.managedObjectID(forURIRepresentation: id.uriRepresentation()) == id)
    }
}
