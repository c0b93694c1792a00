public import StrataCoordinator
import StrataModel

/// What a save changed: a value that may be handed to other threads.
///
/// ```swift
/// let saved = try context.save()
/// for object in saved.updated where object.changedProperties.contains("price") { reprice(object.id) }
/// ```
/// Objects come in the order of the save, store by store. New ones have their permanent IDs; those that a child gives
/// to its parent have temporary ones, until a store has them. Objects whose derived values alone were changed are among
/// the updated ones.
///
/// It holds the rows that were saved, as long as it is kept, and computes the lists from them, each time.
public struct SavedChanges: Sendable {
    private enum Source: Sendable {
        case stores([AppliedChanges], ManagedObjectModel)
        case parent(ContextChanges, inserted: [ObjectID])
    }

    private let source: Source

    init(_ outcome: SaveOutcome, _ model: ManagedObjectModel) { source = .stores(outcome.applied, model) }

    init(_ changes: ContextChanges, inserted: [ObjectID]) { source = .parent(changes, inserted: inserted) }

    /// The changes of each store, without unchanged ones; nothing where a child saved to its parent.
    ///
    /// - Complexity: O(n) in the changes.
    public var stores: [SaveEvent.StoreChanges] {
        guard case .stores(let applied, let model) = source else { return [] }
        return applied.map { SaveEvent.StoreChanges($0, model) }.filter { !$0.isEmpty }
    }

    /// The new objects.
    ///
    /// - Complexity: O(n) in the changes.
    public var inserted: [SavedObject] {
        switch source {
        case .stores: stores.flatMap(\.inserted)
        case .parent(_, let inserted): inserted.map { SavedObject(id: $0) }
        }
    }

    /// The changed objects, with the names of the changed properties, including to-many relationships with other
    /// members or order.
    ///
    /// - Complexity: O(n) in the changes.
    public var updated: [SavedObject] {
        switch source {
        case .stores: stores.flatMap(\.updated)
        case .parent(let changes, let inserted): changes.updatedObjects(besides: Set(inserted))
        }
    }

    /// The deleted objects.
    ///
    /// - Complexity: O(n) in the changes.
    public var deleted: [SavedObject] {
        switch source {
        case .stores: stores.flatMap(\.deleted)
        case .parent(let changes, _): changes.deleted.map { SavedObject(id: $0.id) }
        }
    }

    /// The changes by ID, to be merged into other contexts.
    ///
    /// - Complexity: O(n) in the changes.
    public var changes: RemoteChanges {
        switch source {
        case .stores: RemoteChanges(stores)
        case .parent: RemoteChanges(saved: inserted, updated: updated, deleted: deleted)
        }
    }

    /// Whether nothing was changed.
    public var isEmpty: Bool {
        switch source {
        case .stores(let applied, _): applied.allSatisfy(\.isEmpty)
        case .parent(let changes, let inserted):
            inserted.isEmpty && changes.updated.isEmpty && changes.deleted.isEmpty && changes.members.isEmpty
        }
    }
}

extension ContextChanges {
    /// Returns the changed objects, each once with all its properties.
    fileprivate func updatedObjects(besides inserted: Set<ObjectID>) -> [SavedObject] {
        var indices: [ObjectID: Int] = [:]
        var objects: [(id: ObjectID, properties: PropertySet)] = []
        func add(_ id: ObjectID, _ properties: PropertySet) {
            if inserted.contains(id) { return }
            if let index = indices[id] {
                objects[index].properties = objects[index].properties.union(properties)
            } else {
                indices[id] = objects.count
                objects.append((id, properties))
            }
        }
        for update in updated { add(update.id, update.properties) }
        for members in members { add(members.id, PropertySet(members.property)) }
        for relationship in relationships { add(relationship.id, PropertySet(relationship.property)) }
        return objects.map { id, changed in
            SavedObject(id: id, changedProperties: id.entity.properties.filter { changed.contains($0.index) }.map(\.name))
        }
    }
}

extension SavedChanges: CustomStringConvertible {
    /// The numbers of inserted, updated and deleted objects.
    public var description: String { "\(inserted.count) inserted, \(updated.count) updated, \(deleted.count) deleted" }
}
