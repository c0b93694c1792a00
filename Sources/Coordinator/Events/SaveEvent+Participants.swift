package import StrataModel
import StrataStore

extension SaveEvent.StoreChanges {
    package init(_ applied: AppliedChanges, _ model: ManagedObjectModel) {
        self.init(storeID: applied.storeID)
        let scopes = applied.scopes
        let changes = applied.changes
        inserted = changes.inserted.map { SavedObject(id: scopes.id(of: $0)) }
        deleted = changes.deleted.map { SavedObject(id: ObjectID(scope: scopes[$0.entity], reference: $0.reference)) }
        for (id, deletion) in zip(deleted.lazy.map(\.id), changes.deleted) {
            if let tombstone = deletion.tombstone {
                tombstones[id] = tombstone.values(of: scopes[deletion.entity].entity.preservedAttributes)
            }
        }
        var updates = UpdatedObjects()
        for update in changes.updated {
            updates.add(scopes.id(of: update.row), model.entities[update.row.entityIndex].properties(ofSlots: update.changedSlots))
        }
        for (row, slots) in applied.derived.values.sorted(by: { Row.precede($0.row, $1.row) }) {
            updates.add(scopes.id(of: row), model.entities[row.entityIndex].properties(ofSlots: slots.sorted()))
        }
        let others = Set(inserted.lazy.map(\.id)).union(deleted.lazy.map(\.id))
        func addRelationship(_ property: Int, _ entity: EntityIndex, _ reference: Int64) {
            let id = ObjectID(scope: scopes[entity], reference: reference)
            if !others.contains(id) { updates.add(id, [model.entities[entity].properties[property].name]) }
        }
        for change in changes.links {
            let table = model.linkTables[change.table]
            for (side, reference) in [(table.first, change.link.first), (table.second, change.link.second)] {
                addRelationship(side.property, side.entity, reference)
            }
        }
        for change in applied.relationships { addRelationship(change.property, change.entity, change.reference) }
        switch applied.ownChange {
        case .updated(let references, let properties):
            for reference in references {
                let id = ObjectID(scope: scopes[reference.entity], reference: reference.reference)
                updates.add(id, id.entity.declaredNames(of: properties))
            }
        case .deleted(let references):
            deleted += references.map { SavedObject(id: ObjectID(scope: scopes[$0.entity], reference: $0.reference)) }
        case nil: break
        }
        updated = updates.objects
    }

    init(_ entry: StoreEntry, inserted: [ObjectID], updated: [(id: ObjectID, slots: [Slot])]) {
        self.init(storeID: entry.store.id)
        self.inserted = inserted.map { SavedObject(id: $0) }
        self.updated = updated.map { SavedObject(id: $0.id, changedProperties: $0.id.entity.properties(ofSlots: $0.slots)) }
    }
}

/// Changed objects, each once with all its properties.
struct UpdatedObjects {
    private var indices: [ObjectID: Int] = [:]
    private(set) var objects: [SavedObject] = []

    mutating func add(_ id: ObjectID, _ properties: [String]) {
        guard let index = indices[id] else {
            indices[id] = objects.count
            objects.append(SavedObject(id: id, changedProperties: properties))
            return
        }
        let known = objects[index]
        objects[index] = SavedObject(
            id: known.id, changedProperties: known.changedProperties + properties.filter { !known.changedProperties.contains($0) })
    }
}

extension EntityDescription {
    /// Returns the distinct declared names of properties: for elements that of their composite attribute.
    fileprivate func declaredNames(of names: [String]) -> [String] {
        if compositeAttributes.isEmpty { return names }
        var seen: Set<String> = []
        return names.map { attribute(named: $0)?.compositeName ?? $0 }.filter { seen.insert($0).inserted }
    }

    func properties(ofSlots slots: [Slot]) -> [String] {
        var names: [String] = []
        for slot in slots {
            let property = properties[layout.slots[slot].property]
            let name = property.attribute?.compositeName ?? property.name
            if names.last != name && !names.contains(name) { names.append(name) }
        }
        return names
    }
}
