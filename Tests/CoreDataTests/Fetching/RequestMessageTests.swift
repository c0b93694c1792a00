import CoreData
import StrataTestSupport
import Testing

/// Each message of a condition or an order that no store can evaluate.
@Suite("Messages of requests")
struct RequestMessageTests {
    private static let requests: [(String, @Sendable (NSFetchRequest<NSManagedObject>) -> Void)] = [
        (
            "…unsupported NSSortDescriptor (comparator blocks are not supported)",
            { $0.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true) { _, _ in .orderedSame }] }
        ),
        (
            "…unsupported NSSortDescriptor selector: shout:",
            { $0.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true, selector: Selector(("shout:")))] }
        ),
        (
            "…it does not start at a managed object, or its type is not that of a property",
            { $0.sortDescriptors = [NSSortDescriptor(keyPath: \[Int].count, ascending: true)] }
        ),
        (
            "…unsupported predicate …: a block cannot be part of a fetch",
            { $0.predicate = NSPredicate { _, _ in true } }
        ),
    ]

    @Test("Of a condition or an order", arguments: requests)
    func request(_ message: String, _ change: @Sendable (NSFetchRequest<NSManagedObject>) -> Void) throws {
        let context = try MemoryStack.context("Person", [("name", .stringAttributeType)])
        let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
        change(request)
        let reason = context.performAndWait { reasonOfError { _ = try context.fetch(request) } }
        #expect(masked(reason, message) == message)
    }
}
