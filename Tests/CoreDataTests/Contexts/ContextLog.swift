import CoreData

/// What a context posts, in order: the kind of each notification, and the names of the objects under its keys.
// Unchecked: contexts post on the thread of the test.
final class ContextLog: @unchecked Sendable {
    struct Entry: Equatable, CustomStringConvertible {
        let kind: String
        var lists: [String: [String]] = [:]

        var description: String { "\(kind) \(lists)" }
    }

    private static let kinds: [(NSNotification.Name, String)] = [
        (.NSManagedObjectContextWillSave, "willSave"), (.NSManagedObjectContextObjectsDidChange, "didChange"),
        (.NSManagedObjectContextDidSave, "didSave"), (.NSManagedObjectContextDidSaveObjectIDs, "didSaveIDs"),
        (.NSManagedObjectContextDidMergeChangesObjectIDs, "didMergeIDs"),
    ]

    private(set) var entries: [Entry] = []
    private(set) var infos: [[AnyHashable: Any]] = []
    private var observers: [any NSObjectProtocol] = []

    init(_ context: NSManagedObjectContext) {
        observers = Self.kinds.map { name, kind in
            NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) { [weak self] in
                self?.add(kind, $0.userInfo ?? [:])
            }
        }
    }

    deinit { for observer in observers { NotificationCenter.default.removeObserver(observer) } }

    private func add(_ kind: String, _ info: [AnyHashable: Any]) {
        var entry = Entry(kind: kind)
        for (key, value) in info {
            guard let key = key.base as? String else { continue }
            if let objects = value as? Set<NSManagedObject>, !objects.isEmpty {
                entry.lists[key] = objects.map { $0.name ?? "–" }.sorted()
            } else if let ids = value as? Set<NSManagedObjectID>, !ids.isEmpty {
                entry.lists[key] = ids.map { $0.entity.name ?? "–" }.sorted()
            }
        }
        entries.append(entry)
        infos.append(info)
    }

    /// Takes what was posted until now.
    func take() -> [Entry] {
        defer { (entries, infos) = ([], []) }
        return entries
    }
}

extension ContextLog.Entry {
    /// A change of objects.
    static func didChange(
        inserted: [String] = [], updated: [String] = [], deleted: [String] = [], refreshed: [String] = []
    ) -> Self { changes("didChange", inserted, updated, deleted, refreshed) }

    /// A save of objects.
    static func didSave(inserted: [String] = [], updated: [String] = [], deleted: [String] = []) -> Self {
        changes("didSave", inserted, updated, deleted, [])
    }

    private static func changes(
        _ kind: String, _ inserted: [String], _ updated: [String], _ deleted: [String], _ refreshed: [String]
    ) -> Self {
        let lists = [
            NSInsertedObjectsKey: inserted, NSUpdatedObjectsKey: updated, NSDeletedObjectsKey: deleted, NSRefreshedObjectsKey: refreshed,
        ]
        return Self(kind: kind, lists: lists.filter { !$0.value.isEmpty })
    }
}
