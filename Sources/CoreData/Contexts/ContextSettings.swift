import StrataGraph

/// The settings of a context, held until it has a graph.
struct ContextSettings {
    var name: String?
    var transactionAuthor: String?
    var mergePolicy: Any = NSMergePolicy.error
    var shouldDeleteInaccessibleFaults = true
    var propagatesDeletesAtEndOfEvent = true
    var retainsRegisteredObjects = false
    var stalenessInterval: TimeInterval = -1
    var automaticallyMergesChangesFromParent = false

    func apply(to graph: ManagedObjectContext) {
        graph.name = name
        graph.transactionAuthor = transactionAuthor
        graph.mergePolicy = NSMergePolicy.policy(mergePolicy, of: graph)
        graph.shouldDeleteInaccessibleFaults = shouldDeleteInaccessibleFaults
        graph.propagatesDeletesAtEndOfEvent = propagatesDeletesAtEndOfEvent
        graph.retainsRegisteredObjects = retainsRegisteredObjects
        graph.stalenessInterval = stalenessInterval < 0 ? nil : .seconds(stalenessInterval)
        if graph.automaticallyMergesChangesFromParent != automaticallyMergesChangesFromParent {
            graph.automaticallyMergesChangesFromParent = automaticallyMergesChangesFromParent
        }
    }
}

extension NSManagedObjectContext {
    /// A name by which people distinguish contexts.
    public final var name: String? {
        get { settings.name }
        set { settings.name = newValue }
    }

    /// Who saves, for histories.
    public final var transactionAuthor: String? {
        get { settings.transactionAuthor }
        set { settings.transactionAuthor = newValue }
    }

    /// How changes are resolved that conflict with other saves, an `NSMergePolicy`; an error by default.
    public final var mergePolicy: Any {
        get { settings.mergePolicy }
        set { settings.mergePolicy = newValue }
    }

    /// Whether a fault whose row was deleted becomes a deleted object with nil values; true by default.
    public final var shouldDeleteInaccessibleFaults: Bool {
        get { settings.shouldDeleteInaccessibleFaults }
        set { settings.shouldDeleteInaccessibleFaults = newValue }
    }

    /// Whether deletions are propagated when an event ends; else only a save does.
    ///
    /// True by default.
    public final var propagatesDeletesAtEndOfEvent: Bool {
        get { settings.propagatesDeletesAtEndOfEvent }
        set { settings.propagatesDeletesAtEndOfEvent = newValue }
    }

    /// Whether the context keeps all of its objects alive; false by default.
    public final var retainsRegisteredObjects: Bool {
        get { settings.retainsRegisteredObjects }
        set { settings.retainsRegisteredObjects = newValue }
    }

    /// How old, in seconds, a row may be when a fault fires; a negative number, the default, is for any age.
    public final var stalenessInterval: TimeInterval {
        get { settings.stalenessInterval }
        set { settings.stalenessInterval = newValue }
    }

    /// Whether the context automatically merges saves to its coordinator or parent; false by default.
    public final var automaticallyMergesChangesFromParent: Bool {
        get { settings.automaticallyMergesChangesFromParent }
        set { settings.automaticallyMergesChangesFromParent = newValue }
    }
}
