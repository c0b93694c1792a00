public import StrataModel
public import StrataStore

/// An object that a save, or a batch request, inserted, updated or deleted.
public struct SavedObject: Sendable, Hashable, Identifiable {
    /// The ID of the object: permanent once a store has it.
    public let id: ObjectID
    /// The names of the properties that were changed, each once; that of a composite attribute where any of its
    /// elements was.
    ///
    /// Empty for an inserted or deleted object, all of which is new or deleted.
    public let changedProperties: [String]

    /// Creates an object with the names of its changed properties, empty by default.
    public init(id: ObjectID, changedProperties: [String] = []) {
        self.id = id
        self.changedProperties = changedProperties
    }
}

/// What one save, or one batch request, changed in the stores of a coordinator; or what others saved meanwhile to one
/// of them.
public struct SaveEvent: Sendable {
    /// What was changed in one store.
    ///
    /// Objects come in the order of the save.
    public struct StoreChanges: Sendable {
        /// The ID of the store.
        public let storeID: StoreID
        /// The new objects.
        public internal(set) var inserted: [SavedObject] = []
        /// The changed objects, each once.
        ///
        /// Among them are those whose to-many relationships have other members, or another order, though these are kept
        /// in the members' rows; of a batch request, which may set the to-one relationships of many objects, the
        /// members alone.
        public internal(set) var updated: [SavedObject] = []
        /// The deleted objects.
        public internal(set) var deleted: [SavedObject] = []
        /// What deleted objects left: the values of preserved attributes as they were saved last, `null` among them, by
        /// name.
        ///
        /// Preserved are those with ``/StrataModel/Attribute/preservesValueInHistoryOnDeletion``; objects of entities
        /// without one are not here.
        public internal(set) var tombstones: [ObjectID: [String: Value]] = [:]
        /// The links that a batch request changed, for those who follow the store.
        var links: [LinkChange] = []

        /// Whether nothing was changed.
        public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
    }

    /// The sequence number of the event within its coordinator: each event has the next one.
    public let number: Int
    /// Who saved, and when; of what others saved only when it was found.
    public let origin: TransactionOrigin
    /// Whether others saved it, past this coordinator: other processes, or other coordinators of this one.
    ///
    /// Only stores that are opened with ``/StrataStore/StoreOptions/postsRemoteChanges`` tell it. Such an event may
    /// represent several saves: it holds how the store differs from all that was told before, in the order of the
    /// references.
    public let isRemote: Bool
    /// What was changed in each store; no store without a change.
    public let stores: [StoreChanges]

    /// The changes in all stores, to be merged into contexts.
    public var changes: RemoteChanges { RemoteChanges(stores) }
}
