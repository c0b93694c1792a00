public import StrataStore

/// An object that a save, or a batch request, inserted, updated or deleted.
public struct SavedObject: Sendable, Hashable, Identifiable {
    /// The ID of the object: permanent once a store has it.
    public let id: ObjectID
    /// The names of the changed properties; that of a composite attribute where any of its elements changed.
    ///
    /// Empty for inserted and deleted objects.
    public let changedProperties: [String]

    /// Creates an object with the names of its changed properties, empty by default.
    public init(id: ObjectID, changedProperties: [String] = []) {
        self.id = id
        self.changedProperties = changedProperties
    }
}

/// The changes of one save, or one batch request, in the stores of a coordinator; or those of others in one store.
public struct SaveEvent: Sendable {
    /// The changes of one store.
    ///
    /// Objects are in the order of the save.
    public struct StoreChanges: Sendable {
        /// The ID of the store.
        public let storeID: StoreID
        /// The new objects.
        public internal(set) var inserted: [SavedObject] = []
        /// The changed objects.
        ///
        /// Among them are those whose to-many relationships have other members, or another order, though the members'
        /// rows hold these; of a batch request, which may set the to-one relationships of many objects, the members
        /// alone.
        public internal(set) var updated: [SavedObject] = []
        /// The deleted objects.
        public internal(set) var deleted: [SavedObject] = []
        /// The tombstones of deleted objects: the last saved values of preserved attributes, possibly `null`, by name.
        ///
        /// Preserved are those with ``/StrataModel/Attribute/preservesValueInHistoryOnDeletion``; objects of entities
        /// without one have none.
        public internal(set) var tombstones: [ObjectID: [String: Value]] = [:]
        /// The position in the history of the store up to which this event and the earlier ones have all changes; `nil`
        /// without a history, and for the coordinator's own saves.
        public internal(set) var historyToken: HistoryToken?
        /// The links that a batch request changed, for remote-change tracking.
        var links: [LinkChange] = []

        /// Whether nothing was changed.
        public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
    }

    /// The sequence number of the event within its coordinator: each event has the next one.
    public let number: Int
    /// The author and time of the save; of saves by others the time of detection.
    public let origin: TransactionOrigin
    /// Whether others saved it: other processes, or other coordinators of this one.
    ///
    /// Only stores that are opened with ``/StrataStore/StoreOptions/postsRemoteChanges`` report it. Such an event may
    /// combine several saves: it holds the differences of the store from all reported states, in the order of the
    /// references.
    public let isRemote: Bool
    /// The changes of each store with any.
    public let stores: [StoreChanges]

    /// The changes in all stores, for merging into contexts.
    public var changes: RemoteChanges { RemoteChanges(stores) }
}
