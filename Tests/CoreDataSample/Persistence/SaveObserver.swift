import CoreData
import Foundation

/// Hears of each save of a context, and keeps a journal of them.
// Unchecked: a save is told on the queue of its context, and what is kept of it is behind a lock.
final class SaveObserver: @unchecked Sendable {
    /// The names of what one save wrote.
    struct Entry: Equatable {
        var inserted: [String] = []
        var updated: [String] = []
        var deleted = 0
    }

    private let lock = NSLock()
    private var journal: [Entry] = []
    private var idCount = 0
    private var tokens: [any NSObjectProtocol] = []
    private let center: NotificationCenter

    /// - Parameters:
    ///   - context: The context whose saves are heard.
    ///   - follower: A context of another coordinator, or one that does not merge by itself: it is told what was saved.
    init(_ context: NSManagedObjectContext, follower: NSManagedObjectContext? = nil, center: NotificationCenter = .default) {
        self.center = center
        tokens = [
            center.addObserver(forName: .NSManagedObjectContextDidSave, object: context, queue: nil) { [weak self] note in
                self?.note(Entry(note))
                follower?.performAndWait { follower?.mergeChanges(fromContextDidSave: note) }
            },
            center.addObserver(
                forName: NSManagedObjectContext.didSaveObjectIDsNotification, object: context, queue: nil
            ) { [weak self] note in
                let keys: [NSManagedObjectContext.NotificationKey] = [.insertedObjectIDs, .updatedObjectIDs, .deletedObjectIDs]
                let counts = keys.map { (note.userInfo?[$0.rawValue] as? Set<NSManagedObjectID>)?.count ?? 0 }
                self?.note(counts.reduce(0, +))
            },
        ]
    }

    private func note(_ entry: Entry) { lock.withLock { journal.append(entry) } }

    private func note(_ count: Int) { lock.withLock { idCount += count } }

    /// What each save wrote, the first one first.
    var entries: [Entry] { lock.withLock { journal } }

    /// How many IDs the saves told of.
    var savedIDs: Int { lock.withLock { idCount } }

    deinit {
        for token in tokens { center.removeObserver(token) }
    }
}

extension SaveObserver.Entry {
    fileprivate init(_ note: Notification) {
        func objects(_ key: String) -> Set<NSManagedObject> {
            note.userInfo?[key] as? Set<NSManagedObject> ?? []
        }
        inserted = objects(NSInsertedObjectsKey).compactMap { $0.entity.name }.sorted()
        updated = objects(NSUpdatedObjectsKey).compactMap { $0.entity.name }.sorted()
        deleted = objects(NSDeletedObjectsKey).count
    }
}
