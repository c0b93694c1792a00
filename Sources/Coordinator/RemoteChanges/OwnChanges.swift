import StrataStore

/// The changes of the coordinator's own save in a store with remote-change tracking.
struct OwnChanges: Sendable {
    struct Update: Sendable {
        let row: Row
        let slots: [Slot]
        /// The version of the row before; `nil` where unknown.
        let expectedVersion: UInt32?
    }

    private(set) var inserted: [Row] = []
    private(set) var updated: [Update] = []
    private(set) var deleted: [ObjectReference] = []
    private(set) var links: [LinkChange] = []
    /// To-many relationships whose members, or their order, change with rows of other objects.
    private(set) var relationships: [RelationshipID] = []

    /// Collects the changes of a participant of a save before its commit; throws `StoreError` where rows that the store
    /// changes itself cannot be read.
    init(_ participant: SaveParticipant, _ model: ManagedObjectModel) throws {
        let changes = participant.changes
        inserted = changes.inserted
        updated = changes.updated.map { Update(row: $0.row, slots: $0.changedSlots, expectedVersion: $0.expectedVersion) }
        updated += participant.derived.values.map {
            Update(row: $0.row, slots: $0.slots.sorted(), expectedVersion: $0.row.version)
        }
        deleted = changes.deleted.map { ObjectReference(entity: $0.entity, reference: $0.reference) }
        links = changes.links
        relationships = participant.relationships
        switch participant.ownChange {
        case .updated(let references, let properties):
            let names = Set(properties)
            updated += try OwnChanges.rows(references, participant.transaction, model).map { row in
                let entity = model.entities[row.entityIndex]
                let slots = entity.layout.indexedSlots.filter { names.contains(entity.properties[$0.description.property].name) }
                return Update(row: row, slots: slots.map(\.slot), expectedVersion: nil)
            }
        case .deleted(let references): deleted += references
        case nil: break
        }
    }

    /// Collects the changes of a batch insert before its commit; `event` are those of its event.
    ///
    /// - Throws: `StoreError` where the rows cannot be read.
    init(_ event: SaveEvent.StoreChanges, in transaction: any StoreTransaction, _ model: ManagedObjectModel) throws {
        func reference(_ id: ObjectID) -> ObjectReference { ObjectReference(entity: id.entity.index, reference: id.reference) }
        inserted = try OwnChanges.rows(event.inserted.map { reference($0.id) }, transaction, model)
        links = event.links
        var names: [RowID: Set<String>] = [:]
        for update in event.updated { names[RowID(update.id.entity.index, update.id.reference, model)] = Set(update.changedProperties) }
        updated = try OwnChanges.rows(event.updated.map { reference($0.id) }, transaction, model).map { row in
            let entity = model.entities[row.entityIndex]
            let changed = names[RowID(row.entityIndex, row.reference, model)] ?? []
            let slots = entity.layout.indexedSlots.filter { slot in
                let property = entity.properties[slot.description.property]
                return changed.contains(property.attribute?.compositeName ?? property.name)
            }
            return Update(row: row, slots: slots.map(\.slot), expectedVersion: nil)
        }
    }

    private static func rows(
        _ references: [ObjectReference], _ transaction: any StoreTransaction, _ model: ManagedObjectModel
    ) throws -> [Row] {
        if references.isEmpty { return [] }
        return try transaction.read { reader in
            var rows: [Row] = []
            for (root, some) in Dictionary(grouping: references, by: { model.entities[$0.entity].root }).sortedByKey() {
                rows += try model.checked(reader.rows(root: root, references: some.map(\.reference)), .save)
            }
            return rows
        }
    }
}
