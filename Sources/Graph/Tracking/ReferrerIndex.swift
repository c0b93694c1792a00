import StrataModel

/// The changed objects that reference others, or recorded that these left them, by the IDs of the others.
///
/// Where the changes of an object are discarded, those that concern it are searched. A few searches pass all changed
/// objects; the next one makes an index, which further changes are added to. It may list too many objects: they are
/// tested as all changed ones would be.
final class ReferrerIndex {
    /// The number of searches that pass all changed objects, as making the index takes as long as several.
    static let fewSearches = 8

    private var referrers: [ObjectID: [ObjectID]] = [:]
    private var count = 0
    private let mostCount: Int
    /// The deleted faults, whose destinations are unknown.
    private var unread: [ObjectID] = []

    init(_ changed: [ManagedObject]) {
        mostCount = 8 * changed.count + 1_024
        for object in changed { add(object) }
    }

    /// Whether the same objects were added again and again.
    var isOutgrown: Bool { count > mostCount }

    /// Adds the references of a changed object.
    func add(_ object: ManagedObject) {
        if object.isDeleted && object.row == nil && !object.isNew { unread.append(object.objectID) }
        for relationship in object.entity.properties.lazy.compactMap(\.relationship) where !relationship.isTransient {
            if relationship.isToMany {
                guard let state = object.extra?.toMany(relationship.index) else { continue }
                for id in state.removed { add(object, referencing: id) }
                if object.isDeleted { for id in state.members { add(object, referencing: id) } }
            } else {
                if let id = object.pendingValue(relationship.index)?.objectID { add(object, referencing: id) }
                if let id = object.storedDestination(relationship).objectID { add(object, referencing: id) }
            }
        }
    }

    func add(_ object: ManagedObject, referencing id: ObjectID) {
        if referrers[id]?.last == object.objectID { return }
        referrers[id, default: []].append(object.objectID)
        count += 1
    }

    /// Returns the objects that may reference one, each once.
    func objects(referencing id: ObjectID) -> [ObjectID] {
        var seen: Set<ObjectID> = []
        return (unread + (referrers[id] ?? [])).filter { seen.insert($0).inserted }
    }
}

extension ChangeTracker {
    /// Returns the IDs of the changed objects that may reference one, or recorded that it left them; `nil` for all.
    func referrers(of object: ManagedObject) -> [ObjectID]? {
        if let index = list.indexes.referrers, !index.isOutgrown { return index.objects(referencing: object.objectID) }
        list.indexes.searches += 1
        if list.indexes.searches < ReferrerIndex.fewSearches { return nil }
        let index = ReferrerIndex(changed)
        list.indexes.referrers = index
        return index.objects(referencing: object.objectID)
    }

    /// Drops the indexes of changes, before many changes that do not maintain them.
    func dropIndexes() { list.indexes.drop() }

    /// Updates the indexes of changes with the row that a changed object has got.
    func didGetRow(_ object: ManagedObject) {
        guard object.flags.contains(.listed) else { return }
        list.indexes.referrers?.add(object)
        list.indexes.pending?.touch(object)
    }
}
