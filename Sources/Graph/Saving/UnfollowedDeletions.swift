import StrataModel

extension ManagedObjectContext {
    /// Unloads the relationships with deleted destinations, which a rule of no action left unchanged.
    ///
    /// - Complexity: O(n) in the objects whose to-many relationships were read or changed, where there is such a rule.
    func unloadMembers(deleted objects: [ManagedObject]) {
        var inverses: [(owner: EntityDescription, inverse: RelationshipDescription)] = []
        for entity in Set(objects.map(\.entity.index)).map({ model.entities[$0] }) {
            for relationship in entity.relationships where relationship.deleteRule == .noAction {
                guard let inverse = model.inverse(of: relationship), inverse.isToMany else { continue }
                inverses.append((model.destination(of: relationship), inverse))
            }
        }
        if inverses.isEmpty { return }
        let ids = Set(objects.map(\.objectID))
        for object in identity.owners {
            for (owner, inverse) in inverses where object.entity.isKind(of: owner) {
                guard let state = object.extra?.toMany(inverse.index), state.isLoaded, state.members.contains(where: ids.contains)
                else { continue }
                tracker.willReplaceValues(of: object, PropertySet(inverse.index))
                state.unload()
            }
        }
    }

    /// Clears references to objects whose deletion was passed to the parent, and that no delete rule cleared.
    ///
    /// The save of the context over the coordinator clears them in the store.
    ///
    /// - Complexity: O(n) in the registered objects of the entities that may reference them.
    func clearReferences(to deleted: [ManagedObject]) {
        let (ids, roots) = (Set(deleted.map(\.objectID)), Set(deleted.map(\.entity.root)))
        let leading = model.referenceSlots.map { $0.map(\.relationship).filter { roots.contains(model.destination(of: $0).root) } }
        var writer = RowWriter(chunkSize: 1024)
        for object in objects(referencingAnyOf: roots, isToMany: false) where !object.isDeleted {
            guard let row = object.row else { continue }
            let lost = leading[object.entityIndex].filter { object.destinationID($0, in: row).map(ids.contains) ?? false }
            if lost.isEmpty { continue }
            tracker.willReplaceValues(of: object, lost.reduce(into: PropertySet()) { $0.insert($1.index) })
            writer.begin(copying: row)
            writer.set(storeWord: OwnVersions.unsavedRow)
            for relationship in lost {
                guard case .toOne(let slot, let entitySlot, let orderSlot) = relationship.storage else { continue }
                for slot in [slot, entitySlot, orderSlot].compactMap(\.self) { writer.clear(slot) }
                object.kept?.drop(relationship.index)
            }
            object.row = writer.finish()
        }
    }
}
