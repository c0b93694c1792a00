import Strata
import Testing

private final class Account: ManagedObject {
    static let number = Key<String>("number")
    static let owner = Key<String>("owner")
    static let kind = Key<String>("kind")
    static let heir = ToOne<Account>("heir")

    var onWillSave: ((Account) -> Void)?
    override func awakeFromInsert() { self[Self.kind] = "awoken" }
    override func willSave() { onWillSave?(self) }
}

@Suite("New objects that have the unique values of stored ones")
struct UnitedObjectTests {
    private let coordinator: PersistentStoreCoordinator

    /// Account 1 of Ann, of the kind "kept".
    init() throws {
        let model = try ManagedObjectModel {
            Entity("Account", class: Account.self) {
                Attribute("number", .string)
                Attribute("owner", .string).required
                Attribute("kind", .string)
                Relationship("heir", to: "Account")
                Unique("number")
            }
        }
        coordinator = try PersistentStoreCoordinator(inMemory: model)
        let context = ManagedObjectContext(coordinator)
        let account = account("1", "Ann", context)
        account[Account.kind] = "kept"
        try context.save()
    }

    private func account(_ number: String, _ owner: String, _ context: ManagedObjectContext) -> Account {
        let account = Account(context: context)
        account[Account.number] = number
        account[Account.owner] = owner
        return account
    }

    private func context() -> ManagedObjectContext {
        let context = ManagedObjectContext(coordinator)
        context.mergePolicy = .mergeByPropertyObjectTrump
        return context
    }

    private func stored() throws -> [[String?]] {
        let context = ManagedObjectContext(coordinator)
        return try context.fetch(ObjectFetchRequest<Account>(sort: [Account.number.ascending])).map {
            [$0[Account.number], $0[Account.owner], $0[Account.kind], $0[Account.heir]?[Account.number]]
        }
    }

    @Test("What an object gives itself when it is inserted does not go over what is stored", arguments: [false, true])
    func awoken(isHeld: Bool) throws {
        let context = context()
        let held = isHeld ? try context.fetch(ObjectFetchRequest<Account>()) : []
        _ = account("1", "Bob", context)
        try context.save()
        #expect(try stored() == [["1", "Bob", "kept", nil]])
        withExtendedLifetime(held) {}
    }

    @Test("A reference to a new one without an inverse becomes one to the stored one", arguments: [false, true])
    func references(isHeld: Bool) throws {
        let context = context()
        let held = isHeld ? try context.fetch(ObjectFetchRequest<Account>()) : []
        let (new, other) = (account("1", "Bob", context), account("2", "Cid", context))
        other[Account.heir] = new
        try context.save()
        #expect(try stored().map { $0[3] } == [nil, "1"])
        withExtendedLifetime(held) {}
    }

    /// One that had taken the stored one's place kept its ID.
    @Test("A save that makes them one and fails afterwards leaves a new object")
    func undone() throws {
        let context = context()
        let new = account("1", "Bob", context)
        let temporary = new.objectID
        new.onWillSave = { if !$0.objectID.isTemporary { $0[Account.owner] = nil } }
        #expect(throws: ValidationError.self) { try context.save() }
        #expect(new.isInserted)
        #expect(new.objectID == temporary)
        #expect(context.object(with: temporary) === new)
        #expect(new[Account.owner] == "Bob")
        new.onWillSave = nil
        try context.save()
        #expect(try stored() == [["1", "Bob", "kept", nil]])
    }
}
