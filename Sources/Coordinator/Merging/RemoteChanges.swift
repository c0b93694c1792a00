public import StrataModel

/// Changes by other contexts or processes: the objects that were inserted, updated and deleted.
///
/// ```swift
/// ManagedObjectContext.mergeChanges(fromRemoteContextSave: [.deleted: result.objectIDs], into: [context])
/// ```
public struct RemoteChanges: Sendable, Hashable {
    /// The kinds of change.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The change of an object in its store; Core Data's keys of the same names.
        case inserted, updated, deleted
    }

    /// The IDs of objects that are new in their store.
    public var inserted: [ObjectID]
    /// The IDs of objects with changed values or relationships.
    public var updated: [ObjectID]
    /// The deleted objects.
    public var deleted: [ObjectID]
    /// The names of the changed properties of updated objects, where they are known.
    public var changedProperties: [ObjectID: Set<String>] = [:]

    /// Creates empty changes.
    public init() { self.init(inserted: [], updated: [], deleted: []) }

    /// Creates changes from the IDs of the objects.
    public init(inserted: [ObjectID] = [], updated: [ObjectID] = [], deleted: [ObjectID] = []) {
        self.inserted = inserted
        self.updated = updated
        self.deleted = deleted
    }

    /// Creates changes from IDs, or from the objects of a save.
    ///
    /// - Complexity: O(n) in the objects.
    public init(
        inserted: some Sequence<some Identifiable<ObjectID>>,
        updated: some Sequence<some Identifiable<ObjectID>>,
        deleted: some Sequence<some Identifiable<ObjectID>>
    ) {
        self.init(inserted: inserted.map(\.id), updated: updated.map(\.id), deleted: deleted.map(\.id))
    }

    package init(_ stores: [SaveEvent.StoreChanges]) {
        self.init(saved: stores.flatMap(\.inserted), updated: stores.flatMap(\.updated), deleted: stores.flatMap(\.deleted))
    }

    package init(saved inserted: [SavedObject], updated: [SavedObject], deleted: [SavedObject]) {
        self.init(inserted: inserted.map(\.id), updated: updated.map(\.id), deleted: deleted.map(\.id))
        for object in updated { changedProperties[object.id] = Set(object.changedProperties) }
    }

    /// Creates changes from the URIs of the objects, as from another process; those of other stores are left out.
    public init(uris: [Kind: [String]], in coordinator: PersistentStoreCoordinator) {
        func ids(_ kind: Kind) -> [ObjectID] { (uris[kind] ?? []).compactMap { coordinator.objectID(forURI: $0) } }
        self.init(inserted: ids(.inserted), updated: ids(.updated), deleted: ids(.deleted))
    }

    /// Whether no object changed.
    public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

    /// The objects of a kind of change.
    public subscript(kind: Kind) -> [ObjectID] {
        get { self[keyPath: RemoteChanges.objects(of: kind)] }
        set { self[keyPath: RemoteChanges.objects(of: kind)] = newValue }
    }

    private static func objects(of kind: Kind) -> WritableKeyPath<RemoteChanges, [ObjectID]> {
        switch kind {
        case .inserted: \.inserted
        case .updated: \.updated
        case .deleted: \.deleted
        }
    }

    package var count: Int { inserted.count + updated.count + deleted.count }

    /// Adds other changes, made after these.
    ///
    /// - Complexity: O(n) in both.
    public mutating func add(_ other: RemoteChanges) { self = RemoteChanges(uniting: [self, other]) }

    /// Unites consecutive changes: each object once, with its final change.
    package init(uniting changes: [RemoteChanges]) {
        self.init()
        guard changes.count > 1 else {
            if let only = changes.first { self = only }
            return
        }
        var states: [ObjectID: Kind] = [:]
        var order: [ObjectID] = []
        for change in changes {
            for kind in Kind.allCases {
                for id in change[kind] {
                    guard let known = states[id] else {
                        states[id] = kind
                        order.append(id)
                        continue
                    }
                    // A change of a new object leaves it one; a deleted one may have been inserted again.
                    if kind != .updated || known == .deleted { states[id] = kind }
                }
            }
        }
        for kind in Kind.allCases { self[kind] = order.filter { states[$0] == kind } }
        // Unknown properties of one change make them unknown for all.
        var unknown: Set<ObjectID> = []
        let kept = Set(updated)
        for change in changes {
            for id in change.updated where kept.contains(id) {
                if let names = change.changedProperties[id] {
                    changedProperties[id, default: []].formUnion(names)
                } else {
                    unknown.insert(id)
                }
            }
        }
        for id in unknown { changedProperties[id] = nil }
    }
}

extension RemoteChanges: ExpressibleByDictionaryLiteral {
    /// Creates changes by kind, which may be repeated.
    public init(dictionaryLiteral elements: (Kind, [ObjectID])...) {
        self.init()
        for (kind, ids) in elements { self[kind] += ids }
    }
}
