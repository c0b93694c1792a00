import StrataCoordinator
import StrataStore

/// The application of a child context's changes to its parent, as if they were made there.
///
/// All that can fail is done before anything is changed: objects and rows are found, and related rows read.
struct ContextChangesAdoption {
    let context: ManagedObjectContext
    let changes: ContextChanges
    /// The new objects, in the order of insertion.
    private(set) var made: [ManagedObject] = []
    private var updated: [ManagedObject] = []
    private var conflicts: [SaveConflictError.Conflict] = []
    /// The objects that were read, retained until the changes are made.
    private var held: [ManagedObject] = []
    /// The other ends of the links that were changed already.
    var changedLinks: Set<LinkEnd> = []
    var tracker: ChangeTracker { context.tracker }
    /// The to-one relationships in the rows of each entity, by its index.
    let references: [[ReferenceSlot]]
    /// The scopes of the stores of each entity's new objects, by its index, once looked up.
    private var scopes: [ObjectIDScopes?]
    /// The indices of the new objects, by their temporary references.
    private(set) var indices: TemporaryTable
    private var permanent: Set<ObjectID> = []

    init(_ changes: ContextChanges, in context: ManagedObjectContext) {
        self.changes = changes
        self.context = context
        scopes = Array(repeating: nil, count: context.model.entities.count)
        var extent = TemporaryTable.Extent()
        for row in changes.inserted { extent.add(row.reference) }
        indices = TemporaryTable(extent)
        references = context.model.referenceSlots
    }

    /// - Throws: `SaveConflictError` where the parent deleted what the child changed or references; a store's error.
    mutating func run() throws {
        context.tracker.dropIndexes()
        defer { context.tracker.dropIndexes() }
        let ids = try idsOfInsertions()
        try findObjects()
        if !conflicts.isEmpty { throw SaveConflictError(conflicts: conflicts) }
        try readRelated(ids)
        if !conflicts.isEmpty { throw SaveConflictError(conflicts: conflicts) }
        let orders = try orderTargets()
        made.reserveCapacity(ids.count)
        for index in ids.indices { made.append(insert(index, ids[index])) }
        for (members, order) in zip(changes.members, orders) { keepOrder(members, order) }
        for index in made.indices { noteInverses(of: made[index], changes.inserted[index]) }
        for index in updated.indices { change(updated[index], changes.updated[index]) }
        for members in changes.members { change(members) }
        for (members, order) in zip(changes.members, orders) { reorder(members, order) }
        for deletion in changes.deleted {
            guard let object = context.registered(deletion.id), !object.isInaccessible else { continue }
            clear(deletion.cleared, of: object)
            for members in deletion.members { change(members) }
            tracker.delete(object)
        }
        if !changes.deleted.isEmpty { context.scheduleDeleteRules() }
        for cascade in changes.cascades { note(cascade) }
        for watched in changes.watched { context.detectConflicts(for: context.fault(with: watched.id)) }
    }

    struct LinkEnd: Hashable {
        let id: ObjectID
        let property: Int
        let destination: ObjectID
    }

    // MARK: - Checks before the changes

    /// An object whose row is to be read, and the child's row with the version that it must have.
    private struct Unread {
        let object: ManagedObject
        let base: Row
        let version: UInt32
        var mayBeInaccessible = false
    }

    /// Has the objects that are changed have their rows.
    private mutating func findObjects() throws {
        var missing: [ObjectID] = []
        var unread: [Unread] = []
        updated.reserveCapacity(changes.updated.count)
        for index in changes.updated.indices {
            let id = changes.updated[index].id
            if let object = find(id, changes.updated[index].base, &unread) { updated.append(object) } else { missing.append(id) }
        }
        for members in changes.members where !isInserted(members.id) {
            if let object = find(members.id, nil, &unread) { held.append(object) } else { missing.append(members.id) }
        }
        for watched in changes.watched {
            if let object = find(watched.id, watched.base, &unread) { held.append(object) } else { missing.append(watched.id) }
        }
        for deletion in changes.deleted {
            var unreadDeletion: [Unread] = []
            if let object = find(deletion.id, deletion.base, &unreadDeletion) { held.append(object) }
            // An object that is deleted already needs no deletion.
            unread += unreadDeletion.map { Unread(object: $0.object, base: $0.base, version: $0.version, mayBeInaccessible: true) }
        }
        for (_, group) in Dictionary(grouping: unread, by: { $0.object.entity.root }) {
            for (unread, row) in zip(group, try context.loader.savedRows(of: group.map(\.object.objectID))) {
                guard let row else {
                    if !unread.mayBeInaccessible { missing.append(unread.object.objectID) }
                    continue
                }
                // A save of others since the child got its row is detected when this context saves.
                unread.object.row = row.version == unread.version ? row : unread.base.copy(ofVersion: unread.version)
            }
        }
        conflicts += missing.map { SaveConflictError.Conflict(objectID: $0, reason: .deleted) }
    }

    /// Finds an object; one that the parent may have changed is to be read; `nil` where the parent deleted it, or
    /// forgot that it was new.
    private func find(_ id: ObjectID, _ base: Row?, _ unread: inout [Unread]) -> ManagedObject? {
        let object: ManagedObject
        if let known = context.registered(id) {
            if known.isDeleted || known.isInaccessible { return nil }
            if known.isNew || known.row != nil { return known }
            object = known
        } else {
            if context.identity.permanent(id).isTemporary && context.parent == nil { return nil }
            object = context.fault(with: id)
        }
        guard let base else { return object }
        switch context.saveState.ownVersions.standing(object.objectID, base) {
        case .isSaved where context.parent == nil: object.row = base
        // The rows of a parent have no versions to compare.
        case .isSaved: unread.append(Unread(object: object, base: base, version: base.version))
        case .isOther(let version): unread.append(Unread(object: object, base: base, version: version))
        }
        return object
    }

    /// Returns the IDs of the new objects, and finds their stores.
    private mutating func idsOfInsertions() throws -> [ObjectID] {
        var ids: [ObjectID] = []
        ids.reserveCapacity(changes.inserted.count)
        for (index, row) in changes.inserted.enumerated() {
            let entity = row.entityIndex
            // The changes name the store of each object with a permanent ID.
            if row.reference >= 0, let storeID = changes.stores[index] {
                ids.append(ObjectID(scope: try context.loader.scopes(ofStore: storeID)[entity], reference: row.reference))
                permanent.insert(ids[index])
            } else {
                indices[row.reference] = Int64(index)
                ids.append(context.identity.temporaryID(entity, row.reference))
            }
            if scopes[entity] == nil && !references[entity].isEmpty && changes.stores[index] == nil {
                scopes[entity] = try context.loader.scopes(ofStore: context.source.storeForNewObjects(of: context.model.entities[entity]))
            }
        }
        return ids
    }

    func isInserted(_ id: ObjectID) -> Bool { id.isTemporary ? indices[id.reference] != nil : permanent.contains(id) }

    /// Returns the scopes of a new object's store; `nil` where its row has no references.
    func scopes(ofInsertionAt index: Int) throws -> ObjectIDScopes? {
        if !changes.stores.isEmpty, let storeID = changes.stores[index] { return try context.loader.scopes(ofStore: storeID) }
        return scopes[changes.inserted[index].entityIndex]
    }

    /// Reads the rows and orders that changes of relationships need.
    private mutating func readRelated(_ ids: [ObjectID]) throws {
        var partners: [ManagedObject] = []
        for (index, row) in changes.inserted.enumerated() {
            for held in references[row.entityIndex] {
                // Most new objects reference new ones.
                guard let reference = row.integer(held.slot), reference >= 0 || indices[reference] == nil,
                    let scopes = try scopes(ofInsertionAt: index), let id = destination(held.relationship, in: row, scopes)
                else { continue }
                try read(id, ids[index], held.relationship, &partners)
            }
        }
        for index in updated.indices where !references[updated[index].entity.index].isEmpty {
            let (object, update) = (updated[index], changes.updated[index])
            for held in references[object.entityIndex] where update.properties.contains(held.relationship.index) {
                if let id = object.currentDestination(held.relationship), !isMissing(id) {
                    try read(id, update.id, held.relationship, &partners)
                }
                if let id = object.destinationID(held.relationship, in: update.row) {
                    try read(id, update.id, held.relationship, &partners)
                }
            }
        }
        for deletion in changes.deleted where !deletion.cleared.isEmpty {
            guard let object = context.registered(deletion.id), !object.isInaccessible else { continue }
            for held in references[object.entityIndex] where deletion.cleared.contains(held.relationship.index) {
                if let id = object.currentDestination(held.relationship), !isMissing(id) {
                    try read(id, deletion.id, held.relationship, &partners)
                }
            }
        }
        for members in changes.members {
            guard let relationship = members.relationship else { continue }
            for id in members.added where !isInserted(id) && isMissing(id) { addConflict(members.id, relationship, id) }
        }
        if partners.isEmpty { return }
        try context.loader.loadRows(of: partners)
        // The objects that lose these partners.
        let others = partners.flatMap { partner in
            context.model.oneToOneRelationships[partner.entityIndex].compactMap { partner.currentDestination($0) }
        }.map { context.fault(with: $0) }
        try context.loader.loadRows(of: others)
        held += partners + others
    }

    mutating func hold(_ object: ManagedObject) { held.append(object) }

    private mutating func read(
        _ id: ObjectID, _ owner: ObjectID, _ relationship: RelationshipDescription, _ partners: inout [ManagedObject]
    ) throws {
        if isInserted(id) { return }
        if isMissing(id) { return addConflict(owner, relationship, id) }
        guard let inverse = context.model.inverse(of: relationship) else { return }
        let object = context.fault(with: id)
        if !inverse.isToMany { return partners.append(object) }
        guard inverse.isOrdered else { return }
        _ = try object.loadedState(inverse)
        held.append(object)
    }

    /// Returns whether the context has deleted an object, or forgotten that it was new.
    private func isMissing(_ id: ObjectID) -> Bool {
        let object = context.registered(id)
        if let object, object.isNew || object.isDeleted || object.isInaccessible || object.row != nil {
            return object.isDeleted || object.isInaccessible
        }
        let id = context.identity.permanent(id)
        // A fault that the child's save made of an ID is no evidence.
        return object == nil && context.parent == nil && id.isTemporary || context.saveState.ownVersions.deletions.contains(id)
    }

    private mutating func addConflict(_ owner: ObjectID, _ relationship: RelationshipDescription, _ id: ObjectID) {
        conflicts.append(
            SaveConflictError.Conflict(
                objectID: owner,
                reason: .missingDestination(relationship, ObjectReference(entity: id.scope.entityIndex, reference: id.reference)),
                relatedIDs: [id]))
    }

    private func destination(_ relationship: RelationshipDescription, in row: Row, _ scopes: ObjectIDScopes) -> ObjectID? {
        guard case .toOne(let slot, let entitySlot, _) = relationship.storage, let reference = row.integer(slot) else { return nil }
        let entity = row.destinationEntity(entitySlot, of: relationship)
        if reference < 0 { return context.identity.temporaryID(entity, reference) }
        return ObjectID(scope: scopes[entity], reference: reference)
    }
}
