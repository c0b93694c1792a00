public import StrataCoordinator
public import StrataModel

/// A change of a context's objects, as listeners on the context's own thread receive it.
///
/// ``change`` is the same by ID, for other threads.
public struct ContextEvent {
    /// The kind of an event.
    public enum Kind: Sendable, Hashable {
        /// Objects were inserted, changed, or removed since the last event of this kind, by the application, undo, a
        /// child's save, merging, refreshing or rolling back.
        ///
        /// Changes are collected until their event ends: with ``ManagedObjectContext/processPendingChanges()``, a save,
        /// or a block of a ``BackgroundContext``; else, in a context with a queue or an actor, with its next turn of
        /// the event loop.
        case objectsDidChange
        /// The context is about to save, before any `willSave()`; without objects.
        case willSave
        /// A save was successful; the objects have their permanent IDs, and no changes.
        case didSave
        /// Saves of others were merged; registered objects have the new values on their next access.
        ///
        /// In a context that was idle for long, too many objects are not listed: anything may have changed.
        case didMerge
        /// The context has forgotten all of its objects; without objects.
        case didReset
    }

    /// What happened in the context.
    public let kind: Kind
    /// The objects that are new in the context or, in a save, in its store.
    public private(set) var inserted: [ManagedObject] = []
    /// The objects of which values or relationships changed.
    public private(set) var updated: [ManagedObject] = []
    /// The objects that are deleted, or were removed with their insertion; also those that were inserted in the same event.
    public private(set) var deleted: [ManagedObject] = []
    /// The objects whose saved values were replaced, or are to be read anew; some may be among the updated ones, too.
    public private(set) var refreshed: [ManagedObject] = []
    /// The changed properties of the updated objects, in their order; `nil` where any may have changed.
    private(set) var updatedProperties: [PropertySet?] = []
    /// The changed properties of the refreshed objects, in their order; `nil` where any may have changed.
    private(set) var refreshedProperties: [PropertySet?] = []
    private(set) var tally = ChangeTally()
    private let known = KnownProperties()
    /// The states of the objects before; `nil` where unknown.
    var starts: EventStarts?
    private let origin: (contextName: String?, author: String?)
    /// The merged changes, of registered and other objects.
    private(set) var merged: RemoteChanges?

    init(_ kind: Kind, _ context: ManagedObjectContext) {
        self.kind = kind
        origin = (context.name, context.transactionAuthor)
    }

    /// Creates an event of a merge; `nil` where anything may have changed.
    init(merged: RemoteChanges?, _ context: ManagedObjectContext) {
        self.init(.didMerge, context)
        self.merged = merged
        if let merged { tally.add(merged) }
    }

    var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty }

    mutating func addInserted(_ objects: [ManagedObject]) {
        inserted = objects
        for object in objects { tally.addExistence(of: object) }
    }

    mutating func addInserted(_ object: ManagedObject) {
        inserted.append(object)
        tally.addExistence(of: object)
    }

    mutating func addDeleted(_ object: ManagedObject) {
        deleted.append(object)
        tally.addExistence(of: object)
    }

    /// Adds an object with changed properties; any where these are `nil`.
    mutating func addUpdated(_ object: ManagedObject, _ properties: PropertySet?) {
        updated.append(object)
        tally.add(properties, of: object)
        updatedProperties.append(properties)
    }

    /// Adds an object with changed saved properties; any where these are `nil`.
    mutating func addRefreshed(_ object: ManagedObject, _ properties: PropertySet?) {
        refreshed.append(object)
        tally.add(properties, of: object)
        refreshedProperties.append(properties)
    }

    /// Returns the names of the properties of an updated or refreshed object that changed; `nil` where any may have.
    public func changedProperties(of object: ManagedObject) -> Set<String>? {
        guard let changed = known.properties(in: self)[ObjectIdentifier(object)] ?? nil else { return nil }
        return Set(object.entity.properties.lazy.filter { changed.contains($0.index) }.map(\.eventName))
    }

    /// The event by ID.
    ///
    /// - Complexity: O(n) in the objects, each time.
    public var change: ContextChange {
        var change = ContextChange(kind: kind, contextName: origin.contextName, author: origin.author)
        if let merged {
            change.changes = merged
            return change
        }
        change.changes.inserted = inserted.map(\.objectID)
        change.changes.deleted = deleted.map(\.objectID)
        change.changes.updated = updated.map(\.objectID)
        change.refreshed = refreshed.map(\.objectID)
        for object in updated + refreshed where change.changes.changedProperties[object.objectID] == nil {
            if let names = changedProperties(of: object) { change.changes.changedProperties[object.objectID] = names }
        }
        return change
    }
}

/// The changed properties of an event's objects, found by object on demand.
private final class KnownProperties {
    private var known: [ObjectIdentifier: PropertySet?]?

    func properties(in event: ContextEvent) -> [ObjectIdentifier: PropertySet?] {
        if let known { return known }
        var found: [ObjectIdentifier: PropertySet?] = Dictionary(minimumCapacity: event.updated.count + event.refreshed.count)
        for (object, properties) in zip(event.updated, event.updatedProperties) { found[ObjectIdentifier(object)] = .some(properties) }
        for (object, properties) in zip(event.refreshed, event.refreshedProperties) { found[ObjectIdentifier(object)] = .some(properties) }
        known = found
        return found
    }
}

extension PropertyDescription {
    /// The name in events: for an element that of its composite attribute.
    var eventName: String { attribute?.compositeName ?? name }
}

/// A change of a context's objects, by ID: a ``ContextEvent`` for other threads.
public struct ContextChange: Sendable {
    /// The kind of the event.
    public let kind: ContextEvent.Kind
    /// The name of the context.
    public let contextName: String?
    /// The author of the context's saves, see ``ManagedObjectContext/transactionAuthor``.
    public let author: String?
    /// The objects that were inserted, changed and removed, with the names of changed properties where known.
    ///
    /// IDs of unsaved objects are temporary.
    public internal(set) var changes = RemoteChanges()
    /// The objects whose saved values were replaced, or are to be read anew.
    public internal(set) var refreshed: [ObjectID] = []
}
