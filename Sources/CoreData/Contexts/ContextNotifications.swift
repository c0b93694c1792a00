@_spi(SwiftCorelibsFoundation) import FoundationEssentials
import StrataCoordinator
import StrataGraph
import Synchronization

/// Posts the notifications of a context as Core Data does.
enum ContextNotifications {
    /// The user-info key of the graph's own change description.
    static let changeKey = "StrataContextChange"

    static func post(_ event: ContextEvent, of context: NSManagedObjectContext) {
        let center = NotificationCenter.default
        switch event.kind {
        case .willSave: if !context.noted.isAnnounced { center.post(name: .NSManagedObjectContextWillSave, object: context) }
        case .objectsDidChange:
            if context.noted.isMerging { context.noted.mergedDeletions.formUnion(event.deleted.compactMap { $0 as? NSManagedObject }) }
            center.post(.NSManagedObjectContextObjectsDidChange, object: context) { objects(event) }
        case .didReset:
            center.post(
                name: .NSManagedObjectContextObjectsDidChange, object: context,
                userInfo: [NSInvalidatedAllObjectsKey: context.noted.forgottenIDs])
        case .didSave:
            context.noted.hasSaved = true
            let lists = emptyLists(of: context)
            center.post(.NSManagedObjectContextDidSave, object: context) { lists.merging(objects(event)) { _, known in known } }
            center.post(NSManagedObjectContext.didSaveObjectIDsNotification, object: context) { ids(event) }
        case .didMerge:
            center.post(NSManagedObjectContext.didMergeChangesObjectIDsNotification, object: context) {
                let refreshed = event.change.changes.updated.filter { context.madeGraph?.registeredObject(for: $0) != nil }
                return ids(event).merging([NSRefreshedObjectIDsKey: Set(refreshed.map { NSManagedObjectID($0) })]) { $1 }
            }
        }
    }

    /// Posts the notifications of a save that had nothing to save.
    static func postEmptySave(of context: NSManagedObjectContext) {
        let center = NotificationCenter.default
        center.post(name: .NSManagedObjectContextDidSave, object: context, userInfo: emptyLists(of: context))
        let none: Set<NSManagedObjectID> = []
        center.post(
            name: NSManagedObjectContext.didSaveObjectIDsNotification, object: context,
            userInfo: [NSInsertedObjectIDsKey: none, NSUpdatedObjectIDsKey: none, NSDeletedObjectIDsKey: none])
    }

    /// Returns the user info of a save, in which each list is present even if it is empty.
    private static func emptyLists(of context: NSManagedObjectContext) -> [AnyHashable: Any] {
        let none: Set<NSManagedObject> = []
        var lists = [NSInsertedObjectsKey: none, NSUpdatedObjectsKey: none, NSDeletedObjectsKey: none] as [AnyHashable: Any]
        lists[NSManagedObjectContextQueryGenerationKey] = context.pinnedGeneration
        return lists
    }

    private static func objects(_ event: ContextEvent) -> [AnyHashable: Any] {
        var info: [AnyHashable: Any] = [changeKey: event.change]
        let lists = [
            (NSInsertedObjectsKey, event.inserted), (NSUpdatedObjectsKey, event.updated), (NSDeletedObjectsKey, event.deleted),
            (NSRefreshedObjectsKey, event.refreshed),
        ]
        for (key, objects) in lists where !objects.isEmpty { info[key] = Set(objects.lazy.compactMap { $0 as? NSManagedObject }) }
        return info
    }

    private static func ids(_ event: ContextEvent) -> [AnyHashable: Any] {
        let change = event.change
        return [
            changeKey: change,
            NSInsertedObjectIDsKey: Set(change.changes.inserted.lazy.map { NSManagedObjectID($0) }),
            NSUpdatedObjectIDsKey: Set(change.changes.updated.lazy.map { NSManagedObjectID($0) }),
            NSDeletedObjectIDsKey: Set(change.changes.deleted.lazy.map { NSManagedObjectID($0) }),
        ]
    }
}

/// The events of a context that later calls depend on.
struct NotedEvents {
    /// The number of the context's subscription to the graph's events.
    var listener: Int?
    /// The IDs of the objects that a reset is unregistering.
    var forgottenIDs: [NSManagedObjectID] = []
    /// The objects that merged saves deleted since the last save here: they count as deleted until the next one.
    var mergedDeletions: Set<NSManagedObject> = []
    var isMerging = false
    /// The relationship between the notifications before and after its change.
    var relationshipChange: RelationshipChange?
    /// Whether the notification before the present save was posted, as it had no changes.
    var isAnnounced = false
    /// Whether the present save has posted its notifications.
    var hasSaved = false
}

/// What a context has read, and in which state of the stores.
struct ReadState {
    /// Whether the context is pinned to a query generation.
    var isPinned = false
    /// The objects of the last fetch, where there are not many.
    var latestObjects: [ManagedObject] = []
    /// The coordinator's number of saves while all are this context's, since its first object.
    var knownSaves = 0
}

extension NSManagedObjectContext {
    /// Saves, and notifies observers also of a save without changes, as Core Data does.
    final func save(_ graph: ManagedObjectContext) throws {
        noted.mergedDeletions = []
        noted.hasSaved = false
        noted.isAnnounced = !graph.hasChanges
        defer { noted.isAnnounced = false }
        if noted.isAnnounced { NotificationCenter.default.post(name: .NSManagedObjectContextWillSave, object: self) }
        // An observer may have changed objects, which the graph announces again.
        defer { if let keptCoordinator { noteSave(to: keptCoordinator) } }
        try cocoa { _ = try graph.save() }
        if !noted.hasSaved { ContextNotifications.postEmptySave(of: self) }
    }

    private final func noteSave(to coordinator: NSPersistentStoreCoordinator) {
        let before = coordinator.saves.add(1, ordering: .acquiringAndReleasing).oldValue
        if before == readState.knownSaves { readState.knownSaves = before + 1 }
    }

    /// Marks the rows of all contexts of the coordinator as outdated, so that refreshed objects are read anew.
    final func outdateRows() { persistentStoreCoordinator?.saves.add(1, ordering: .acquiringAndReleasing) }

    /// Whether the rows of all objects are those that this coordinator read or wrote last.
    final var hasCurrentRows: Bool {
        guard stalenessInterval < 0, !readState.isPinned, let coordinator = keptCoordinator else { return false }
        // Incremental stores have rows of their own.
        return coordinator.saves.load(ordering: .acquiring) == readState.knownSaves
            && !coordinator.persistentStores.contains { $0 is NSIncrementalStore }
    }

    /// Subscribes to the events of the graph.
    final func listen() {
        guard let graph = madeGraph else { return }
        // The subscription lives as long as the graph, which deinit must not touch.
        noted.listener = graph.addListener { [weakReference] event in
            if let context = NSManagedObjectContext.of(weakReference) { ContextNotifications.post(event, of: context) }
        }
        graph.shouldHandleInaccessibleFault = { [weakReference] object, id in
            guard let context = NSManagedObjectContext.of(weakReference), let object = object as? NSManagedObject else { return true }
            return context.shouldHandleInaccessibleFault(object, for: NSManagedObjectID(id), triggeredByProperty: nil)
        }
    }
}

/// A notification whose user info is made once an observer reads it.
///
/// A notification centre does not report whether there are observers, and passes the posted object on as a
/// `Notification`: the user info is made by the conversion that `NSNotification` has.
private final class UnreadNotification: NSNotification {
    private let makeUserInfo: () -> [AnyHashable: Any]
    private lazy var madeUserInfo = makeUserInfo()

    init(_ name: Notification.Name, _ object: AnyObject, _ makeUserInfo: @escaping () -> [AnyHashable: Any]) {
        self.makeUserInfo = makeUserInfo
        super.init(name: name, object: object, userInfo: nil)
    }

    @available(*, unavailable)
    required init?(coder: NSCoder) { nil }

    override var userInfo: [AnyHashable: Any]? { madeUserInfo }
}

extension NotificationCenter {
    /// Posts a notification whose user info is costly, and makes the user info only if there is an observer.
    func post(_ name: Notification.Name, object: AnyObject, makingUserInfo: @escaping () -> [AnyHashable: Any]) {
        // Foundation's own `post` calls internal functions, tried with these versions only.
        #if compiler(>=6.3) && compiler(<6.4)
            _post(name.rawValue, subject: object, message: UnreadNotification(name, object, makingUserInfo))
        #else
            post(name: name, object: object, userInfo: makingUserInfo())
        #endif
    }
}
