import StrataEvaluation
import StrataStore

/// The execution of a request for transactions.
struct HistoryFetch {
    private let request: HistoryRequest
    private let coordinator: PersistentStoreCoordinator
    private let transactionTest: RowPredicate?
    private let changeTest: RowPredicate?
    /// How many records are read at once.
    private static let recordsAtOnce = 256

    init(_ request: HistoryRequest, _ coordinator: PersistentStoreCoordinator) throws {
        self.request = request
        self.coordinator = coordinator
        transactionTest = try request.transactionPredicate.map { try HistoryModel.test($0, "Transaction") }
        changeTest = try request.changePredicate.map { try HistoryModel.test($0, "Change") }
    }

    func transactions(of entries: [StoreEntry]) throws -> [HistoryTransaction] {
        try checkStores(entries)
        let limit = max(0, request.limit ?? .max)
        let found = try entries.map { try transactions(of: $0, limit: limit) }
        return Array(merged(found).prefix(limit))
    }

    /// Merges the transactions of several stores by date, and leaves those of each store in their order.
    private func merged(_ lists: [[HistoryTransaction]]) -> [HistoryTransaction] {
        if lists.count < 2 { return lists.first ?? [] }
        var heads = lists.map { $0[...] }
        var merged: [HistoryTransaction] = []
        while true {
            var next: Int?
            for (index, list) in heads.enumerated() {
                guard let date = list.first?.date else { continue }
                if let best = next.flatMap({ heads[$0].first?.date }), request.isReversed ? date <= best : date >= best { continue }
                next = index
            }
            guard let next else { return merged }
            merged.append(heads[next].removeFirst())
        }
    }

    private func checkStores(_ entries: [StoreEntry]) throws {
        let numbers: [StoreID: Int64] =
            switch request.start {
            case .token(let token): token.numbers
            case .transaction(let transaction): transaction.token.numbers
            case .beginning, .date: [:]
            }
        if let other = numbers.keys.min(), !entries.contains(where: { numbers[$0.store.id] != nil }) {
            throw StoreError(noStore: other, .fetch)
        }
    }

    private func transactions(of entry: StoreEntry, limit: Int) throws -> [HistoryTransaction] {
        let start: Int64?
        var earliest = -Double.infinity
        switch request.start {
        case .beginning: start = nil
        case .token(let token): start = token.numbers[entry.store.id]
        case .transaction(let transaction):
            guard transaction.storeID == entry.store.id else { return [] }
            start = transaction.number
        case .date(let date):
            start = nil
            earliest = date.timeIntervalSinceReferenceDate.nextUp
        }
        let renamings = try entry.store.metadata().historyRenamings
        if let start { try entry.checkHistory(reaches: start, renamings) }
        let decoder = HistoryDecoder(entry, coordinator.model, renamings)
        // Conditions on changes need them.
        let decodes = request.includesChanges || changeTest != nil || transactionTest != nil
        var query = HistoryQuery(after: start ?? 0, isReversed: request.isReversed, includesBodies: decodes)
        var found: [HistoryTransaction] = []
        while found.count < limit {
            query.limit = min(HistoryFetch.recordsAtOnce, transactionTest == nil && changeTest == nil ? limit - found.count : .max)
            let records = try entry.store.history(query)
            for record in records where !record.marksDeletion && record.time >= earliest {
                if let transaction = try selected(decoder.transaction(record, decodes: decodes)) { found.append(transaction) }
                if found.count == limit { break }
            }
            guard let last = records.last, records.count == query.limit else { break }
            if request.isReversed { query.through = last.number - 1 } else { query.after = last.number }
        }
        return found
    }

    /// Returns a transaction with the requested changes; `nil` where it does not meet the conditions.
    private func selected(_ transaction: HistoryTransaction) throws -> HistoryTransaction? {
        if transactionTest == nil && changeTest == nil { return transaction }
        let rows = try HistoryModel.Rows(transaction)
        if let transactionTest, try !transactionTest.passes(rows.transaction, rows) { return nil }
        var changes = transaction.changes
        if let changeTest {
            changes = try zip(changes, rows.changes).filter { try changeTest.passes($1, rows) }.map(\.0)
            if changes.isEmpty { return nil }
        }
        return transaction.with(request.includesChanges ? changes : [])
    }
}

extension HistoryTransaction {
    fileprivate func with(_ changes: [HistoryChange]) -> HistoryTransaction {
        HistoryTransaction(storeID: storeID, number: number, date: date, origin: origin, changes: changes)
    }
}

extension StoreEntry {
    /// Checks that the history has all transactions after a number.
    ///
    /// - Throws: `StoreError` with `historyTokenExpired`.
    func checkHistory(reaches number: Int64, _ renamings: [HistoryRenaming]) throws {
        let oldest = try store.history(HistoryQuery(limit: 1, includesBodies: false)).first
        let isDeleted = oldest.map { $0.marksDeletion && $0.number > number } ?? false
        // A migration by policies made other objects.
        if isDeleted || renamings.contains(where: { $0.entities == nil && number < $0.number }) {
            throw StoreError(.historyTokenExpired, .fetch, "the history does not reach back to the token", path: store.path)
        }
        try checkHistory(includes: number)
    }

    /// Checks that the history had a transaction with a number; throws `StoreError` with `historyTokenExpired` else.
    func checkHistory(includes number: Int64) throws {
        if number > 0, try number > lastHistoryNumber() {
            throw StoreError(.historyTokenExpired, .fetch, "the token is later than the history of the store", path: store.path)
        }
    }
}

/// Decodes the records of a store's history.
struct HistoryDecoder {
    private let entry: StoreEntry
    private let model: ManagedObjectModel
    private let renamings: [HistoryRenaming]

    init(_ entry: StoreEntry, _ model: ManagedObjectModel, _ renamings: [HistoryRenaming]) {
        (self.entry, self.model, self.renamings) = (entry, model, renamings)
    }

    /// - Throws: `StoreError` with `corrupt`, or `unsupportedVersion`.
    func transaction(_ record: HistoryRecord, decodes: Bool) throws -> HistoryTransaction {
        let path = entry.store.path
        guard let origin = try? HistoryOrigin(record.origin) else {
            throw StoreError(.corrupt, .fetch, "malformed transaction in the history", path: path)
        }
        return HistoryTransaction(
            storeID: entry.store.id, number: record.number, date: Date(timeIntervalSinceReferenceDate: record.time), origin: origin,
            changes: decodes ? try changes(HistoryBody(record.body, path: path), renamings.filter { $0.number >= record.number }) : [])
    }

    /// The current names of an entity of a body, and of its properties; those that are removed are left out.
    private struct Names {
        let entity: EntityDescription
        var offset: Int64 = 0
        private let renamings: [HistoryRenaming.Target]
        let sets: [[String]]

        init?(_ stored: HistoryBody.Entity, _ model: ManagedObjectModel, _ all: [HistoryRenaming]) {
            var name = stored.name
            var renamings: [HistoryRenaming.Target] = []
            for renaming in all {
                guard let target = renaming.entities.map({ $0[name] }) else { return nil }
                if let target { renamings.append(target) }
                name = target?.name ?? name
            }
            guard let entity = model.entity(named: name) else { return nil }
            self.entity = entity
            self.renamings = renamings
            offset = renamings.reduce(0) { $0 &+ $1.offset }
            sets = stored.sets.map { set in set.map { Names.current(stored.properties[$0], renamings) }.filter { !$0.isEmpty } }
        }

        private static func current(_ name: String, _ renamings: [HistoryRenaming.Target]) -> String {
            renamings.reduce(name) { $1.properties[$0] ?? $0 }
        }

        func property(_ name: String) -> String { Names.current(name, renamings) }
    }

    private func changes(_ body: HistoryBody, _ renamings: [HistoryRenaming]) -> [HistoryChange] {
        let names = body.entities.map { Names($0, model, renamings) }
        var writer = RowWriter()
        var changes: [HistoryChange] = []
        changes.reserveCapacity(body.changes.count)
        for (index, change) in body.changes.enumerated() {
            guard let names = names[change.entity] else { continue }
            changes.append(
                HistoryChange(
                    objectID: ObjectID(scope: entry.scopes[names.entity.index], reference: change.reference &+ names.offset),
                    kind: change.kind, index: index,
                    changedProperties: change.set.map { names.sets[$0] } ?? [],
                    tombstone: change.tombstone.isEmpty
                        ? [:] : values(change.tombstone, body.entities[change.entity], names, &writer)))
        }
        return changes
    }

    private func values(
        _ tombstone: [HistoryBody.Preserved?], _ stored: HistoryBody.Entity, _ names: Names, _ writer: inout RowWriter
    ) -> [String: Value] {
        let entity = names.entity
        writer.begin(entity, reference: 1, version: 1)
        var attributes: [AttributeDescription] = []
        for (preserved, value) in zip(stored.preserved, tombstone) {
            guard let attribute = entity.attribute(named: names.property(preserved.name)), let slot = attribute.slot,
                attribute.slotKind == preserved.kind
            else { continue }
            attributes.append(attribute)
            switch value {
            case .word(let word): writer.set(integer: Int64(bitPattern: word), at: slot)
            case .bytes(let bytes): unsafe bytes.withUnsafeBytes { unsafe writer.set(bytes: $0, at: slot) }
            case nil: break
            }
        }
        return writer.finish().values(of: attributes)
    }
}
