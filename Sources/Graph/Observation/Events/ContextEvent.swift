public import StrataCoordinator
public import StrataModel

/// What happened to the objects of a context, as listeners on the context's own thread get it.
///
/// ``change`` is the same by ID, to be handed on.
public struct ContextEvent {
    /// What an event is about.
    public enum Kind: Sendable, Hashable {
        /// Objects came, changed, or went since the last event of this kind: by an application, by undoing, by a child's save, by merging,
        /// refreshing or rolling back.
        ///
        /// Changes are collected until their event ends: with ``ManagedObjectContext/processPendingChanges()``, a save, or a block of a
        /// ``BackgroundContext``; of a context that has a queue or an actor, where nothing of that happens, with its next turn.
        case objectsDidChange
        /// The context is about to save; `willSave()` was not called on its objects yet. There are no objects in it.
        case willSave
        /// A save was successful; the objects have their permanent IDs, and no changes.
        case didSave
        /// What others saved was merged; the objects that are here have the new values when they are touched next.
        ///
        /// Of a context that was not used for long no objects are listed where there are too many: anything may have changed.
        case didMerge
        /// The context has forgotten all of its objects. There are none in the event.
        case didReset
    }

    /// What the event is about.
    public let kind: Kind
    /// The objects that are new in the context or, in a save, in its store.
    public private(set) var inserted: [ManagedObject] = []
    /// The objects of which values or relationships changed.
    public private(set) var updated: [ManagedObject] = []
    /// The objects that are deleted, or went with their insertion.
    public private(set) var deleted: [ManagedObject] = []
    /// The objects whose saved values were replaced, or are to be read anew; some may be among the updated ones, too.
    public private(set) var refreshed: [ManagedObject] = []
    /// The changed properties of the updated objects, in their order; `nil` where any may have changed.
    private(set) var updatedProperties: [PropertySet?] = []
    /// The changed properties of the refreshed objects, in their order; `nil` where any may have changed.
    private(set) var refreshedProperties: [PropertySet?] = []
    /// What of all this was changed, entity by entity.
    private(set) var tally = ChangeTally()
    private let known = KnownProperties()
    /// What its objects were before; `nil` where nothing is known of that.
    private(set) var starts: EventStarts?
    private let contextName: String?
    private let author: String?
    /// What was merged, which need not be here.
    private(set) var merged: RemoteChanges?

    init(_ kind: Kind, _ context: ManagedObjectContext) {
        self.kind = kind
        contextName = context.name
        author = context.transactionAuthor
    }

    /// Creates an event about what was merged; `nil` where that may be anything.
    init(merged: RemoteChanges?, _ context: ManagedObjectContext) {
        self.init(.didMerge, context)
        self.merged = merged
        if let merged { tally.add(merged) }
    }

    /// Whether it is about no object.
    var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty }

    mutating func setStarts(_ starts: EventStarts) { self.starts = starts }

    /// Adds new objects, the first ones.
    mutating func addInserted(_ objects: [ManagedObject]) {
        inserted = objects
        for object in objects { tally.addExistence(of: object) }
    }

    /// Adds a new object.
    mutating func addInserted(_ object: ManagedObject) {
        inserted.append(object)
        tally.addExistence(of: object)
    }

    /// Adds an object that is deleted, or went.
    mutating func addDeleted(_ object: ManagedObject) {
        deleted.append(object)
        tally.addExistence(of: object)
    }

    /// Adds an object of which some properties changed; any where these are `nil`.
    mutating func addUpdated(_ object: ManagedObject, _ properties: PropertySet?) {
        updated.append(object)
        tally.add(properties, of: object)
        updatedProperties.append(properties)
    }

    /// Adds an object of which some saved properties are others; any where these are `nil`.
    mutating func addRefreshed(_ object: ManagedObject, _ properties: PropertySet?) {
        refreshed.append(object)
        tally.add(properties, of: object)
        refreshedProperties.append(properties)
    }

    /// Returns the properties of an updated or refreshed object that changed; `nil` where any may have.
    private func properties(of object: ManagedObject) -> PropertySet? { known.properties(in: self)[ObjectIdentifier(object)] ?? nil }

    /// Returns the names of the properties of an updated or refreshed object that changed; `nil` where any may have.
    public func changedProperties(of object: ManagedObject) -> Set<String>? {
        guard let changed = properties(of: object) else { return nil }
        return Set(object.entity.properties.lazy.filter { changed.contains($0.index) }.map(\.toldName))
    }

    /// What happened, by ID.
    ///
    /// - Complexity: O(n) in the objects, each time.
    public var change: ContextChange {
        var change = ContextChange(kind, contextName: contextName, author: author)
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

/// The changed properties of an event's objects, found by object once somebody asks.
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
    /// The name under which events tell of a change: of an element its composite attribute's.
    var toldName: String { attribute?.compositeName ?? name }
}

/// What happened to the objects of a context, by ID: what a ``ContextEvent`` says, for other threads.
public struct ContextChange: Sendable {
    /// What it is about.
    public let kind: ContextEvent.Kind
    /// The name of the context.
    public let contextName: String?
    /// Who saves in the context, see ``ManagedObjectContext/transactionAuthor``.
    public let author: String?
    /// The objects that came, changed and went, with the names of changed properties where they are known.
    ///
    /// IDs of objects that were not saved are temporary.
    public internal(set) var changes = RemoteChanges()
    /// The objects whose saved values were replaced, or are to be read anew.
    public internal(set) var refreshed: [ObjectID] = []

    init(_ kind: ContextEvent.Kind, contextName: String?, author: String?) {
        self.kind = kind
        self.contextName = contextName
        self.author = author
    }
}
