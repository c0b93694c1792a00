import Strata
import StrataStore

/// Changes of programs that write past the history of a store.
enum ExternalHistoryCases {
    /// Writes past the history, as a program that does not know it: deletes a person and inserts another one.
    private static func replacePerson(
        _ deleted: ObjectID, by name: String, _ environment: ConformanceEnvironment, _ model: ManagedObjectModel
    ) throws -> Int64 {
        let store = try openStore(environment.description(), model: model)
        let transaction = try store.beginWrite()
        let entity = deleted.entity
        let row = try unwrap(transaction.read { try $0.row(root: entity.root, reference: deleted.reference) })
        let reference = try transaction.reserveReferences(1, root: entity.root)
        var writer = RowWriter()
        writer.begin(entity, reference: reference, version: 1)
        writer.set(.string(name), at: try unwrap(entity.attribute(named: "name")?.slot), .string)
        var changes = ChangeSet()
        changes.inserted = [writer.finish()]
        changes.deleted = [RowDeletion(row, of: entity)]
        try expectEqual(try transaction.apply(changes).count, 0)
        try transaction.prepare()
        try transaction.commit()
        try store.close()
        return reference
    }

    private static func external(_ stack: ConformanceStack) throws -> [HistoryTransaction] {
        var request = HistoryRequest()
        request.transactionPredicate = try QueryPredicate(format: "kind == 4")
        return try stack.coordinator.history.transactions(request)
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase(
            "What another program writes past the history becomes one transaction of an unknown author", in: .history,
            requires: [.history, .severalCoordinators, .persistence]
        ) { environment in
            let model = try Models.company.get()
            let stacks = try (0..<2).map { _ in
                try environment.stack(model) { description in
                    (description.options.history, description.options.postsRemoteChanges) = (.unlimited, true)
                }
            }
            // A server's log lists what changed: rows that no entry names are not looked for.
            if try stacks[0].store().read({ $0 is any LoggedReader }) { return }
            let people = try stacks[0].savePeople(3)
            let token = try stacks[0].coordinator.history.currentToken()
            let deleted = people[1].person.objectID
            let reference = try replacePerson(deleted, by: "external", environment, model)
            try await eventually("the external transaction", { "\((try? external(stacks[0])) ?? [])" }) {
                try stacks[0].coordinator.history.currentToken() != token
            }
            let found = try stacks[1].onlyTransaction(after: token)
            try expectEqual(found.origin, HistoryOrigin(.external))
            try expectEqual(found.author, nil)
            try expectEqual(found.changes.filter { $0.kind == .insert }.map(\.objectID.reference), [reference])
            try expectEqual(found.changes.filter { $0.kind == .delete }.map(\.objectID), [deleted])
            // Each of two trackers finds it, and both find the next save of the other in the history.
            try stacks[1].savePeople(1)
            _ = try replacePerson(people[2].person.objectID, by: "again", environment, model)
            try await eventually("the second one", { "\((try? external(stacks[0])) ?? [])" }) { try external(stacks[0]).count > 1 }
            try stacks[0].savePeople(1)
            try await Task.sleep(for: .milliseconds(300))
            let added = try external(stacks[1])
            try expect(added.count == 2, "\(added.map(\.changes))")
            let all = try stacks[0].coordinator.history.transactions(HistoryRequest())
            try expectEqual(Set(all.flatMap(\.changes).filter { $0.kind == .insert }.map(\.objectID)).count, 7)
        }
    }
}
