import StrataStore

/// The origin of a link table's links.
struct LinkStep: Sendable {
    let table: LinkTable
    /// The side of the table with the objects that own ``relationship``.
    let side: LinkSide
    /// A relationship of the source from the objects on ``side`` to the others.
    let relationship: RelationshipDescription

    static func all(_ routes: MigrationRoutes) -> [LinkStep] {
        routes.destination.linkTables.flatMap { table in
            var steps: [LinkStep] = []
            for side in [LinkSide.first, .second] {
                let end = table.end(side)
                let relationship = routes.destination.entities[end.entity].properties[end.property].relationship
                guard let relationship else { continue }
                // Each entity may have had a relationship of its own.
                for index in routes.destination.entities[end.entity].hierarchy {
                    guard case .relationship(let old)? = routes.origin(of: relationship, in: routes.destination.entities[index]) else {
                        continue
                    }
                    let step = LinkStep(table: table, side: side, relationship: old)
                    if !steps.contains(where: { $0.isSame(as: step, routes.source) }) { steps.append(step) }
                }
            }
            return steps
        }
    }

    private func isSame(as other: LinkStep, _ source: ManagedObjectModel) -> Bool {
        func isEqual(_ a: RelationshipDescription, _ b: RelationshipDescription?) -> Bool {
            a.declaringEntity == b?.declaringEntity && a.index == b?.index
        }
        return isEqual(relationship, side == other.side ? other.relationship : source.inverse(of: other.relationship))
            || table.isReflexive && isEqual(relationship, other.relationship)
    }

    /// Returns the slots that hold the links in rows, with their entity and side.
    func slots(_ source: ManagedObjectModel) -> (entity: EntityDescription, slot: ToOneSlot, side: LinkSide)? {
        if let slot = ToOneSlot(relationship) { return (source.entities[relationship.declaringEntity], slot, side) }
        guard case .inverse = relationship.storage, let inverse = source.inverse(of: relationship), let slot = ToOneSlot(inverse)
        else { return nil }
        return (source.entities[inverse.declaringEntity], slot, side.opposite)
    }

    func link(of row: Row, _ slot: ToOneSlot, _ rowSide: LinkSide, _ routes: MigrationRoutes) -> LinkChange? {
        let own = ObjectReference(entity: row.entityIndex, reference: row.reference)
        guard let other = slot.destination(of: row), let near = routes.target(own, as: table.end(rowSide).entity),
            let far = routes.target(other, as: table.end(rowSide.opposite).entity)
        else { return nil }
        // The slot's order is that of the row among the destinations of the other object.
        return put(near.reference, far.reference, on: rowSide, nearOrder: nil, farOrder: slot.order.flatMap { row.order($0) })
    }

    /// Reads the links of a link table of the source in batches.
    func forEachBatch(_ lookUp: MigrationLookUp, _ body: ([LinkChange]) throws -> Void) throws {
        guard case .links(let number, let oldSide) = relationship.storage else { return }
        let routes = lookUp.routes
        let old = routes.source.linkTables[number]
        let links = try lookUp.reader.links(of: old)
        let near = LinkEnd(old.end(oldSide).entity, table.end(side).entity, routes)
        let far = LinkEnd(old.end(oldSide.opposite).entity, table.end(side.opposite).entity, routes)
        for batch in links.slices(of: MigrationLookUp.batchSize) {
            let nearReferences = try near.references(batch.map { $0.reference(oldSide) }, lookUp)
            let farReferences = try far.references(batch.map { $0.reference(oldSide.opposite) }, lookUp)
            var changes: [LinkChange] = []
            for (position, link) in batch.enumerated() {
                guard let a = nearReferences[position], let b = farReferences[position] else { continue }
                changes.append(put(a, b, on: side, nearOrder: link.order(oldSide), farOrder: link.order(oldSide.opposite)))
                // A link of one relationship in each direction becomes one of both.
                if table.isReflexive && !old.isReflexive {
                    changes.append(put(b, a, on: side, nearOrder: link.order(oldSide.opposite), farOrder: link.order(oldSide)))
                }
            }
            try body(changes)
        }
    }

    /// - Parameters:
    ///   - nearOrder: The order key of the far object among the near one's destinations, where known.
    ///   - farOrder: The order key of the near object among the far one's.
    private func put(_ near: Int64, _ far: Int64, on side: LinkSide, nearOrder: OrderKey?, farOrder: OrderKey?) -> LinkChange {
        let near = (reference: near, order: table.end(side).isOrdered ? nearOrder ?? OrderKey(behindReference: far) : nil)
        let far = (
            reference: far, order: table.end(side.opposite).isOrdered ? farOrder ?? OrderKey(behindReference: near.reference) : nil
        )
        let (first, second) = side == .first ? (near, far) : (far, near)
        return LinkChange(
            table: table.index, kind: .put,
            link: Link(first: first.reference, second: second.reference, orderInFirst: first.order, orderInSecond: second.order))
    }
}

/// One end of a link table of the source, whose references do not name entities.
private struct LinkEnd {
    let root: EntityIndex
    let target: EntityIndex
    /// The offset of all references; `nil` where it depends on the object.
    let offset: Int64?

    init(_ entity: EntityIndex, _ target: EntityIndex, _ routes: MigrationRoutes) {
        root = routes.source.entities[entity].root
        self.target = target
        offset = routes.uniformOffset(entity, as: target)
    }

    /// Returns the new references of objects; `nil` for those that are not at this end any more.
    func references(_ references: [Int64], _ lookUp: MigrationLookUp) throws -> [Int64?] {
        if let offset { return references.map { $0 &+ offset } }
        let objects = try lookUp.reader.existing(root: root, references: Array(Set(references)))
        let targets = Dictionary(
            objects.compactMap { object in lookUp.routes.target(object, as: target).map { (object.reference, $0.reference) } }
        ) { first, _ in first }
        return references.map { targets[$0] }
    }
}
