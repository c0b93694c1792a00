import StrataStore

/// The changes of a batch update to the rows of one store.
struct BatchUpdater {
    private typealias Computation = (
        attribute: AttributeDescription, slot: Slot, source: ResolvedExpression, expression: RowExpression
    )

    /// An ordered relationship to which rows are appended.
    private struct Membership {
        let slot: Slot
        let ownerSlot: Slot
        let owner: Int64
        /// The order key of the next new member.
        var next: OrderKey
    }

    private let model: ManagedObjectModel
    private let entity: EntityDescription
    private let reader: any StoreReader
    /// A row with the values that are the same for all rows.
    private let template: Row
    /// The slots with the template's values.
    private var constants: [(slot: Slot, kind: SlotKind)] = []
    private var computations: [Computation] = []
    private var memberships: [Membership] = []
    private let changedSlots: [Slot]
    /// The entity of the last unchanged slots.
    private var kept: (entity: EntityIndex, slots: [(slot: Slot, kind: SlotKind)]) = (-1, [])
    private var writer = RowWriter()

    /// - Throws: `StoreError` with `crossStore`, `notFound` where a destination is not in the store.
    init(
        _ assignments: [BatchAssignment], _ entity: EntityDescription, _ entry: StoreEntry, _ model: ManagedObjectModel,
        _ reader: any StoreReader
    ) throws {
        self.model = model
        self.entity = entity
        self.reader = reader
        var constants: [Slot: Value] = [:]
        for assignment in assignments {
            switch assignment.target {
            case .constant(let slot, let value): constants[slot] = value
            case .computed(let attribute, let slot, let expression):
                computations.append((attribute, slot, expression, RowExpression(expression)))
            case .toOne(let relationship, let slot, let entitySlot, let orderSlot, let id):
                let destination = try id.map { try BatchUpdater.destination($0, relationship, entry, model, reader) }
                constants[slot] = destination.map { .int($0.reference) } ?? .null
                if let entitySlot { constants[entitySlot] = destination.map { .int(Int64($0.entityIndex.rawValue)) } ?? .null }
                guard let orderSlot else { continue }
                if let destination, let inverse = model.inverse(of: relationship) {
                    let members = try reader.destinations(
                        of: inverse, root: model.entities[relationship.declaringEntity].root, owner: destination)
                    let next = OrderKey(after: members.compactMap { $0.order(orderSlot) }.max())
                    memberships.append(Membership(slot: orderSlot, ownerSlot: slot, owner: destination.reference, next: next))
                } else {
                    constants[orderSlot] = .null
                }
            }
        }
        var writer = RowWriter(chunkSize: 1024)
        writer.begin(entity, reference: 0, version: 0)
        for (slot, value) in constants.sortedByKey() {
            let kind = entity.layout.slots[slot].kind
            writer.set(value, at: slot, kind)
            self.constants.append((slot, kind))
        }
        template = writer.finish()
        changedSlots = (self.constants.map(\.slot) + computations.map(\.slot) + memberships.map(\.slot)).sorted()
    }

    private static func destination(
        _ id: ObjectID, _ relationship: RelationshipDescription, _ entry: StoreEntry, _ model: ManagedObjectModel, _ reader: any StoreReader
    ) throws -> Row {
        guard id.storeID == entry.store.id else {
            throw StoreError(
                .crossStore, .batchUpdate, "\(id) is in another store than objects to be changed", key: relationship.name)
        }
        guard let row = try reader.row(root: id.entity.root, reference: id.reference),
            model.destination(of: relationship).hierarchy.contains(row.entityIndex)
        else { throw StoreError(.notFound, .batchUpdate, "there is no object \(id)", key: relationship.name) }
        return row
    }

    /// The assignments for a store that does the work itself; `nil` where each row gets an order key of its own.
    var assignments: RowAssignments? {
        guard memberships.isEmpty else { return nil }
        return RowAssignments(
            template: template, slots: constants.map(\.slot), computations: computations.map { .init($0.attribute, $0.source) })
    }

    mutating func update(_ row: Row) throws -> RowUpdate {
        let version = row.version &+ 1
        let isVariable = constants.contains { $0.kind.isVariable } || computations.contains { $0.attribute.slotKind.isVariable }
        if isVariable {
            // Written anew, so that unused bytes are not kept.
            let own = model.entities[row.entityIndex]
            writer.begin(own, reference: row.reference, version: version)
            for (slot, kind) in keptSlots(of: own) { writer.copy(slot, kind, from: row) }
        } else {
            writer.begin(copying: row, version: version)
        }
        for (slot, kind) in constants {
            if template.isNull(slot) { writer.clear(slot) } else { writer.copy(slot, kind, from: template) }
        }
        for computation in computations {
            let value = try computation.expression.value(row, reader)
            let fitted = try BatchAssignment.fitted(value, to: computation.attribute, of: row, entity)
            if fitted.isNull {
                writer.clear(computation.slot)
            } else {
                writer.set(fitted, at: computation.slot, computation.attribute.slotKind)
            }
        }
        for index in memberships.indices {
            let slot = memberships[index].slot
            // Members that stay keep their key.
            if row.integer(memberships[index].ownerSlot) == memberships[index].owner {
                writer.copy(slot, .order, from: row)
                continue
            }
            writer.set(order: memberships[index].next, at: slot)
            memberships[index].next = OrderKey(after: memberships[index].next)
        }
        return RowUpdate(row: writer.finish(), changedSlots: changedSlots)
    }

    private mutating func keptSlots(of own: EntityDescription) -> [(slot: Slot, kind: SlotKind)] {
        if kept.entity != own.index {
            let changed = Set(changedSlots)
            let slots = own.layout.indexedSlots.filter { !changed.contains($0.slot) }.map { ($0.slot, $0.description.kind) }
            kept = (own.index, slots)
        }
        return kept.slots
    }
}
