import FoundationEssentials
import Strata

/// Carries the ledger from one generation to the next, as an application would that never asks whether a read failed.
///
/// Whatever reads as nil or as empty is taken for that and built upon, so that a save which stores what came of a failed read shows.
struct Ledger {
    let context: ManagedObjectContext
    let parts: [Part]

    /// Changes everything; the save is the caller's.
    func change(to generation: Int) throws {
        for part in parts {
            let account = generation == 1 ? try insert(part.accountEntity, Account.self) : try account(of: part, at: generation - 1)
            let entry = try insert(part.entryEntity, Entry.self)
            entry[Entry.number] = generation
            entry[Entry.memo] = ExpectedLedger.memo(generation, at: generation)
            entry[Entry.receipt] = ExpectedLedger.receipt(generation, part)
            guard let account else { continue }
            change(account, entry, to: generation, part)
        }
    }

    private func change(_ account: Account, _ entry: Entry, to generation: Int, _ part: Part) {
        account[Account.balance] = generation == 1 ? 100 : (account[Account.balance] ?? 0) + 10
        account[Account.note] = ExpectedLedger.note(generation)
        account[Account.statement] = ExpectedLedger.statement(generation, part)
        // Each turns the order around.
        var entries = account[Account.entries].reversed() as [Entry]
        for entry in entries { entry[Entry.memo] = (entry[Entry.memo] ?? "") + "+" }
        if let oldest = entries.min(by: { ($0[Entry.number] ?? 0) < ($1[Entry.number] ?? 0) }), entries.count == ExpectedLedger.lifetime {
            entries.removeAll { $0 === oldest }
            context.delete(oldest)
        }
        entries.insert(entry, at: generation % 2 == 0 ? 0 : entries.count)
        account[Account.entries] = entries
    }

    /// The account, as a fault: it is reached through the last entry.
    private func account(of part: Part, at generation: Int) throws -> Account? {
        let found = try context.fetch(ObjectFetchRequest<Entry>(entityName: part.entryEntity, key("number") == .int(Int64(generation))))
        guard let last = found.first else { throw Violation("\(part.rawValue): entry \(generation) is missing") }
        return last[Entry.account]
    }

    private func insert<Object: ManagedObject>(_ entity: String, _ type: Object.Type) throws -> Object {
        guard let object = try context.insert(entity) as? Object else { throw Violation("\(entity) is no \(type)") }
        return object
    }
}
