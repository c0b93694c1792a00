public import StrataStore

/// A transaction in the history of one store: a save, a batch request, a migration, or the changes of another program.
///
/// A save over several stores is a transaction of each, with the same date.
public struct HistoryTransaction: Sendable, Hashable, Identifiable {
    /// The ID of the store.
    public let storeID: StoreID
    /// The number of the transaction: greater than those of all earlier transactions of the store.
    public let number: Int64
    /// The date of the transaction.
    public let date: Date
    /// The kind, author, context and process of the transaction.
    public let origin: HistoryOrigin
    /// The changes: inserted objects, then updated, then deleted ones, each once; empty where they were not requested.
    public let changes: [HistoryChange]

    /// The author, see `ManagedObjectContext.transactionAuthor`; `nil` where the context had none.
    public var author: String? { origin.author }
    /// The name of the context; `nil` where it had none.
    public var contextName: String? { origin.contextName }
    /// The token of the transaction: a reader that has it has handled the transaction, and all before it in the store.
    public var token: HistoryToken { HistoryToken([storeID: number]) }
    /// The token, which identifies the transaction.
    public var id: HistoryToken { token }

    /// The changed objects, for merging into contexts.
    public var remoteChanges: RemoteChanges {
        func ids(_ kind: HistoryChange.Kind) -> [ObjectID] { changes.lazy.filter { $0.kind == kind }.map(\.objectID) }
        return RemoteChanges(inserted: ids(.insert), updated: ids(.update), deleted: ids(.delete))
    }
}

/// A change of an object in a transaction of a history.
public struct HistoryChange: Sendable, Hashable {
    /// The kinds of changes.
    public typealias Kind = HistoryChangeKind

    /// The ID of the object.
    ///
    /// Where only links of the object changed, it may name an ancestor of the object's entity.
    public let objectID: ObjectID
    /// The kind of the change.
    public let kind: Kind
    /// The index of the change in its transaction, where all changes are requested.
    public let index: Int
    /// The names of the changed properties of an updated object; that of a composite attribute where any element changed.
    ///
    /// Among them are to-many relationships with other members, or another order. A batch request lists the objects of its
    /// entity alone, not those that lost a deleted member.
    public let changedProperties: [String]
    /// The values of the preserved attributes of a deleted object, possibly `null`, by name.
    ///
    /// Preserved are those with ``/StrataModel/Attribute/preservesValueInHistoryOnDeletion``.
    public let tombstone: [String: Value]
}
