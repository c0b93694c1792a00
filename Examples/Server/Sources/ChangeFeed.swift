import Foundation
import ServiceLifecycle
import Strata
import Synchronization

/// A change of an object, as clients see it.
struct Change: Sendable, Codable, Equatable {
    enum Kind: String, Sendable, Codable { case inserted, updated, deleted }

    var entity: String
    var kind: Kind
    var key: UUID
}

/// Passes the saves of this process, and of others that write to the same store, to the clients that listen.
final class ChangeFeed: Service {
    private let container: PersistentContainer
    private let events: AsyncStream<SaveEvent>
    private let clients = Mutex<[UUID: AsyncStream<[Change]>.Continuation]>([:])

    init(_ container: PersistentContainer) {
        self.container = container
        events = container.coordinator.saveEvents
    }

    var clientCount: Int { clients.withLock { $0.count } }

    /// The changes from now on.
    ///
    /// They end when a client is a hundred saves behind: it connects again, and reads everything anew.
    func subscribe() -> AsyncStream<[Change]> {
        let (changes, client) = AsyncStream.makeStream(of: [Change].self, bufferingPolicy: .bufferingOldest(100))
        let id = UUID()
        client.onTermination = { [weak self] _ in _ = self?.clients.withLock { $0.removeValue(forKey: id) } }
        clients.withLock { $0[id] = client }
        return changes
    }

    func run() async throws {
        for await event in events.cancelOnGracefulShutdown() {
            let changes = try await changes(of: event)
            for client in clients.withLock({ Array($0.values) }) {
                if case .dropped = client.yield(changes) { client.finish() }
            }
        }
    }

    /// An event has IDs; the keys of deleted objects are in its tombstones, as the model preserves them.
    private func changes(of event: SaveEvent) async throws -> [Change] {
        try await container.performBackgroundTask { context in
            try event.stores.flatMap { store in
                let inserted = try context.existingObjects(with: store.inserted.map(\.id)).map { Change(.inserted, $0) }
                let updated = try context.existingObjects(with: store.updated.map(\.id)).map { Change(.updated, $0) }
                let deleted = store.deleted.map { object -> Change? in
                    guard let key = store.tombstones[object.id]?["key"].flatMap(UUID.init(value:)) else { return nil }
                    return Change(entity: object.id.entity.name, kind: .deleted, key: key)
                }
                return (inserted + updated + deleted).compactMap(\.self)
            }
        }
    }
}

extension Change {
    fileprivate init?(_ kind: Kind, _ object: ManagedObject) {
        guard let key = (object as? any Keyed)?.key else { return nil }
        self.init(entity: object.entity.name, kind: kind, key: key)
    }
}
