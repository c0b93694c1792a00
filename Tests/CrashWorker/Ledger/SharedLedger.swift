import FoundationEssentials
import Strata

/// A ledger that several processes write to at once: each adds entries with numbers of its own, and all change one account.
struct SharedLedger {
    let context: ManagedObjectContext
    let parts: [Part]

    /// The first number of a writer's entries; the first generation's entry has the number 1.
    private static func base(_ writer: Int) -> Int { (writer + 1) * 1_000_000 }

    /// How many entries a writer has in the first part.
    func count(ofWriter writer: Int) throws -> Int {
        let (first, end) = (SharedLedger.base(writer), SharedLedger.base(writer + 1))
        let request = ObjectFetchRequest<Entry>(
            entityName: parts[0].entryEntity, key("number") >= .int(Int64(first)) && key("number") < .int(Int64(end)))
        return try context.fetch(request).count
    }

    /// Adds a writer's next entry to each part; the save is the caller's.
    func add(_ number: Int, ofWriter writer: Int) throws {
        for part in parts {
            let accounts = try context.fetch(ObjectFetchRequest<Account>(entityName: part.accountEntity))
            guard accounts.count == 1 else { throw Violation("\(part.rawValue): \(accounts.count) accounts") }
            guard let entry = try context.insert(part.entryEntity) as? Entry else { throw Violation("no entry") }
            entry[Entry.number] = SharedLedger.base(writer) + number
            entry[Entry.receipt] = ExpectedLedger.receipt(number, part)
            accounts[0][Account.balance] = (accounts[0][Account.balance] ?? 0) + 10
            accounts[0][Account.statement] = ExpectedLedger.statement(number, part)
            accounts[0].add(entry, to: Account.entries)
        }
    }

    /// Checks that each part fits itself, and, where nobody is writing, that all have the same.
    ///
    /// - Returns: How many entries each writer has.
    func verifiedCounts(ofWriters writers: Int, isQuiet: Bool) throws -> [Int] {
        let numbers = try parts.map(verifiedNumbers)
        if isQuiet, let other = numbers.first(where: { $0 != numbers[0] }) {
            throw Violation("saves are in some stores only: \(Set(other).symmetricDifference(numbers[0]).sorted())")
        }
        return try (0..<writers).map { writer in
            let base = SharedLedger.base(writer)
            let own = numbers[0].filter { $0 >= base && $0 < base + 1_000_000 }
            guard own == Array((base + 1)..<(base + 1 + own.count)) else { throw Violation("writer \(writer) has \(own)") }
            return own.count
        }
    }

    private func verifiedNumbers(of part: Part) throws -> [Int] {
        let accounts = try context.fetch(ObjectFetchRequest<Account>(entityName: part.accountEntity))
        let entries = try context.fetch(ObjectFetchRequest<Entry>(entityName: part.entryEntity, sort: [Entry.number.ascending]))
        guard accounts.count == 1 else { throw Violation("\(part.rawValue): \(accounts.count) accounts") }
        let balance = accounts[0][Account.balance] ?? -1
        guard balance == 100 + 10 * (entries.count - 1) else {
            throw Violation("\(part.rawValue): \(entries.count) entries, and the balance \(balance)")
        }
        guard Set(accounts[0][Account.entries]) == Set(entries) else { throw Violation("\(part.rawValue): the account has other entries") }
        for entry in entries {
            let number = (entry[Entry.number] ?? 0) % 1_000_000
            guard entry[Entry.receipt] == ExpectedLedger.receipt(number, part) else {
                if let error = context.lastFaultError { throw error }
                throw Violation("\(part.rawValue): another receipt in \(number)")
            }
        }
        if let error = context.lastFaultError { throw error }
        return entries.map { $0[Entry.number] ?? -1 }
    }

    /// The files that the large values of entries have, and of the account at most one for each part.
    func fileCounts() throws -> ClosedRange<Int> {
        let entries = try parts.reduce(0) { count, part in
            try count
                + context.fetch(ObjectFetchRequest<Entry>(entityName: part.entryEntity)).count {
                    ($0[Entry.receipt] ?? Data()).count > CrashMode.externalStorageThreshold
                }
        }
        return entries...(entries + parts.count)
    }
}
