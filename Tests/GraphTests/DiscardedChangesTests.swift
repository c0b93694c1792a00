import Strata
import StrataInMemory
import Testing

private final class Guest: ManagedObject {
    static let name = Key<String>("name")

    var onValidation: (() -> Void)?

    override func validateForInsert() throws { onValidation?() }
}

/// A save goes through its objects without counting references to them: the list retains them, also when they leave it.
@Suite("Changes that are discarded while they are validated")
struct DiscardedChangesTests {
    @Test("Objects that only the context holds live until the validation that discards all changes ends", arguments: [false, true])
    func discarded(isReset: Bool) throws {
        let model = try ManagedObjectModel { Entity("Guest", class: Guest.self) { Attribute("name", .string) } }
        let context = ManagedObjectContext(try PersistentStoreCoordinator(inMemory: model))
        weak var last: Guest?
        var isLastValidated = false
        do {
            let guests = (0..<50).map { _ in Guest(context: context) }
            for guest in guests { guest[Guest.name] = "a name that is on the heap" }
            guests[0].onValidation = { isReset ? context.reset() : context.rollback() }
            guests[49].onValidation = { isLastValidated = true }
            last = guests[49]
        }
        #expect(last != nil)
        try context.save()
        #expect(!isLastValidated)
        #expect(last == nil)
        #expect(try context.count(for: ObjectFetchRequest<Guest>()) == 0)
    }
}
