import StrataModel

/// The entities and relationships of a store, for remote-change tracking.
struct TrackedSchema: Sendable {
    let model: ManagedObjectModel
    /// The roots of the store's entity hierarchies.
    let roots: [EntityIndex]
    /// The link tables between the store's entities.
    let tables: [LinkTable]
    /// The to-one relationships of each entity with a to-many inverse: an object is a member of their destinations.
    private let memberships: [[Membership]]

    /// A to-one relationship with an inverse to many.
    struct Membership: Sendable {
        let slot: Slot
        /// The slot of the row's position among the members.
        let order: Slot?
        /// The root of the owners' hierarchy.
        let root: EntityIndex
        /// The owners' relationship.
        let name: String
    }

    init(_ model: ManagedObjectModel, _ entities: Set<EntityIndex>) {
        self.model = model
        let roots = Set(entities.map { model.entities[$0].root })
        self.roots = roots.sorted()
        memberships = model.entities.map { entity in
            entity.relationships.compactMap { relationship in
                guard case .toOne(let slot, _, let order) = relationship.storage, let inverse = model.inverse(of: relationship),
                    inverse.isToMany, !inverse.isHidden, roots.contains(model.destination(of: relationship).root)
                else { return nil }
                return Membership(slot: slot, order: order, root: model.destination(of: relationship).root, name: inverse.name)
            }
        }
        tables = model.linkTables.filter { table in
            [table.first, table.second].allSatisfy { roots.contains(model.entities[$0.entity].root) }
        }
    }

    /// Returns the references of the objects that a row is a member of, 0 for none.
    func owners(of row: Row) -> [Int64] { memberships[row.entityIndex].map { row.integer($0.slot) ?? 0 } }

    /// Returns the owners that a row left and joined, and those among whose members its position changed.
    ///
    /// - Parameter slots: The slots that differ; `nil` where all may.
    func changedOwners(_ old: RowDigest?, _ new: RowDigest?, _ slots: [Slot]? = nil) -> [(rowID: RowID, name: String)] {
        let areAlike = old?.entity == new?.entity && old?.owners.count == new?.owners.count
        return [old, new].compactMap { $0 }.flatMap { row in
            zip(memberships[row.entity], row.owners).enumerated().compactMap { index, pair in
                let (membership, owner) = pair
                let isSame = areAlike && old?.owners[index] == new?.owners[index]
                let isMoved = membership.order.map { slots?.contains($0) != false } == true
                return owner == 0 || isSame && !isMoved ? nil : (RowID(root: membership.root, reference: owner), membership.name)
            }
        }
    }
}
