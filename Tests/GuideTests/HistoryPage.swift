import Foundation
import Strata
import StrataSQLite

/// The code of the guide "History".
enum HistoryPage {
    static func open(_ model: ManagedObjectModel) throws -> PersistentContainer {
        var description = StoreDescription(.sqlite, path: "/data/notes.sqlite")
        description.options.history = .keeping(days: 30)
        return try PersistentContainer(model: model, stores: [description])
    }

    static func invalidate(_ container: PersistentContainer, _ token: inout HistoryToken, _ cache: inout [ObjectID: Data]) throws {
        for transaction in try container.history.transactions(after: token) {
            for change in transaction.changes where change.kind != .insert { cache[change.objectID] = nil }
            token.advance(to: transaction.token)
        }
    }

    static func deletions(_ container: PersistentContainer) throws -> [HistoryTransaction] {
        var request = HistoryRequest(after: .date(Date() - 86_400))
        request.transactionPredicate = try QueryPredicate(format: "author == 'import'")
        request.changePredicate = try QueryPredicate(format: "entityName == 'Note' AND changeType == 2")
        return try container.history.transactions(request)
    }

    static func openKeepingValues(_ model: ManagedObjectModel) throws -> PersistentContainer {
        var description = StoreDescription(.sqlite, path: "/data/notes.sqlite")
        description.options.history = .keeping(days: 30, keepsValues: true)
        return try PersistentContainer(model: model, stores: [description])
    }

    static func past(
        _ container: PersistentContainer, _ transaction: HistoryTransaction, _ request: ObjectFetchRequest<ManagedObject>
    ) throws -> [ManagedObject] {
        let audit = container.newContext()
        try audit.setQueryGeneration(asOf: transaction.token)
        let before = try audit.fetch(request)
        return before
    }

    static func feed(_ container: PersistentContainer, _ apply: (HistoryTransaction) async throws -> Void) async throws {
        let consumer = try container.history.consumer(named: "search", timeout: 90 * 86_400)
        for try await transaction in try container.history.updates(after: consumer.token()) {
            try await apply(transaction)
            try consumer.advance(to: transaction.token)
        }
    }
}
