import StrataModel
import StrataStore

extension ChangeSet {
    /// Returns the changes, independent of unchanged order keys in ordered relationships.
    ///
    /// A store that is written whole need not keep the keys, only the order: opened again its members may have others.
    /// So where a member is new, or moved, its neighbours are given their current keys.
    ///
    /// - Complexity: O(n) in the changes and the members of the relationships that they touch.
    func completingOrders(in store: any StoreBackend, _ model: ManagedObjectModel) throws -> ChangeSet {
        guard store.capabilities.isAtomic else { return self }
        let owners = orderedOwners(model)
        if owners.isEmpty { return self }
        let changed = Set((inserted + updated.map(\.row)).map { RowID($0.entityIndex, $0.reference, model) })
            .union(deleted.map { RowID($0.entity, $0.reference, model) })
        let neighbours = try store.read { reader in
            var members: Set<RowID> = []
            for owner in owners {
                guard let relationship = model.entities[owner.entity].properties[owner.property].relationship else { continue }
                for found in try reader.destinations(of: relationship, owner: owner.reference) {
                    members.insert(RowID(found.entity, found.reference, model))
                }
            }
            return try Dictionary(grouping: members.subtracting(changed), by: \.root).flatMap { root, members in
                try model.checked(try reader.rows(root: root, references: members.map(\.reference).sorted()), .save)
            }
        }
        var completed = self
        var writer = RowWriter()
        for row in neighbours.sorted(by: Row.precede) {
            let slots = model.entities[row.entityIndex].layout.slots
            completed.updated.append(
                RowUpdate(
                    row: writer.copy(row, version: row.version &+ 1), changedSlots: slots.typedIndices().filter { slots[$0].kind == .order }
                )
            )
        }
        return completed
    }

    private func orderedOwners(_ model: ManagedObjectModel) -> Set<RelationshipID> {
        var owners: Set<RelationshipID> = []
        for row in inserted + updated.map(\.row) {
            for property in model.entities[row.entityIndex].properties {
                guard let relationship = property.relationship, case .toOne(let slot, _, .some) = relationship.storage,
                    let inverse = relationship.inverse, let reference = row.integer(slot)
                else { continue }
                owners.insert(RelationshipID(entity: relationship.destination, reference: reference, property: inverse))
            }
        }
        return owners
    }
}
