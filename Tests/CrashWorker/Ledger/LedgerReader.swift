import FoundationEssentials
import Strata

/// Reads the ledger back, along its relationship from both ends.
struct LedgerReader {
    let context: ManagedObjectContext
    let parts: [Part]

    /// The generation of the first part, without a look at anything else; 0 where nothing was saved.
    func generation() throws -> Int {
        let request = ObjectFetchRequest<Entry>(entityName: parts[0].entryEntity, sort: [Entry.number.descending], limit: 1)
        return try context.fetch(request).first?[Entry.number] ?? 0
    }

    /// The generation that all parts are at; 0 where nothing was saved.
    ///
    /// - Throws: ``Violation`` where a part is not exactly what its generation left, or parts differ in their generation; whatever a read
    ///   failed with.
    func verifiedGeneration() throws -> Int {
        let generations = try generations()
        guard Set(generations).count == 1 else { throw Violation("a save is in some stores only: \(generations)") }
        return generations[0]
    }

    /// The generation of each part.
    ///
    /// - Throws: ``Violation`` where a part is not exactly what its generation left; whatever a read failed with.
    func generations() throws -> [Int] { try parts.map(verifiedGeneration) }

    private func verifiedGeneration(of part: Part) throws -> Int {
        let accounts = try context.fetch(ObjectFetchRequest<Account>(entityName: part.accountEntity))
        let entries = try context.fetch(ObjectFetchRequest<Entry>(entityName: part.entryEntity, sort: [Entry.number.ascending]))
        guard let generation = entries.last?[Entry.number] else {
            guard accounts.isEmpty else { throw Violation("\(part.rawValue): an account without entries") }
            return 0
        }
        guard generation > 0 else { throw Violation("\(part.rawValue): entry \(generation)") }
        guard accounts.count == 1 else { throw Violation("\(part.rawValue): \(accounts.count) accounts") }
        let ordered = accounts[0][Account.entries]
        if let error = context.lastFaultError { throw error }
        guard Set(ordered) == Set(entries), ordered.count == entries.count else {
            throw Violation("\(part.rawValue): entries \(numbers(entries)), but the account has \(numbers(ordered))")
        }
        guard entries.allSatisfy({ $0[Entry.account] === accounts[0] }) else { throw Violation("\(part.rawValue): an entry of no account") }
        let found = LedgerSnapshot(
            balance: accounts[0][Account.balance] ?? -1,
            note: accounts[0][Account.note] ?? "",
            statement: accounts[0][Account.statement] ?? Data(),
            entries: ordered.map {
                EntrySnapshot(number: $0[Entry.number] ?? -1, memo: $0[Entry.memo] ?? "", receipt: $0[Entry.receipt] ?? Data())
            }
        )
        if let error = context.lastFaultError { throw error }
        let expected = ExpectedLedger.snapshot(of: part, at: generation)
        guard found == expected else { throw Violation("\(part.rawValue) at \(generation): \(difference(found, expected))") }
        return generation
    }

    private func difference(_ found: LedgerSnapshot, _ expected: LedgerSnapshot) -> String {
        if found.balance != expected.balance { return "balance \(found.balance), not \(expected.balance)" }
        if found.note != expected.note { return "note \(found.note)" }
        if found.statement != expected.statement { return "statement of \(found.statement.count) bytes, or others" }
        let numbers = found.entries.map(\.number)
        if numbers != expected.entries.map(\.number) { return "entries \(numbers), not \(expected.entries.map(\.number))" }
        for (entry, other) in zip(found.entries, expected.entries) where entry != other {
            return "entry \(entry.number): memo \(entry.memo), receipt of \(entry.receipt.count) bytes"
        }
        return "equal"
    }

    private func numbers(_ entries: some Sequence<Entry>) -> [Int] { entries.map { $0[Entry.number] ?? -1 } }
}
