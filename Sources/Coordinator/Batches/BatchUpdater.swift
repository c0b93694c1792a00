import StrataModel
import StrataQuery
import StrataStore

/// Packs the rows of a batch update for one store.
struct BatchUpdater {
    private let model: ManagedObjectModel
    private let assignments: [BatchAssignment]
    private let entry: StoreEntry
    private let reader: any StoreReader
    private var writer = RowWriter()
    /// What each slot set becomes, the same for all rows, where it is not computed.
    private var constants: [Int: Int64?] = [:]
    /// The place that the next member of each ordered relationship gets, by the slot of the place.
    private var nextOrder: [Int: Int64] = [:]
    private var editsOfEntity: [Int: Edits] = [:]

    init(_ assignments: [BatchAssignment], _ entry: StoreEntry, _ model: ManagedObjectModel, _ reader: any StoreReader) throws {
        self.assignments = assignments
        self.entry = entry
        self.model = model
        self.reader = reader
        for assignment in assignments { try prepare(assignment) }
    }

    private mutating func prepare(_ assignment: BatchAssignment) throws {
        guard case .toOne(let relationship, let slot, let entitySlot, let orderSlot, let id) = assignment.target else { return }
        var destination: Row?
        if let id {
            guard id.storeUUID == entry.store.uuid else {
                throw StoreError(
                    .crossStore, "batch update", "\(id) is in another store than objects to be changed", key: relationship.name)
            }
            destination = try reader.row(root: id.entity.root, reference: id.reference)
            guard let destination, model.entities[destination.entityIndex].isKind(of: model.destination(of: relationship)) else {
                throw StoreError(.notFound, "batch update", "there is no object \(id)", key: relationship.name)
            }
        }
        constants[slot] = .some(destination?.reference)
        if let entitySlot { constants[entitySlot] = .some(destination.map { Int64($0.entityIndex) }) }
        guard let orderSlot else { return }
        constants[orderSlot] = .some(nil)
        guard let destination, let inverse = model.inverse(of: relationship) else { return }
        let members = try reader.destinations(
            of: inverse, root: model.entities[relationship.declaringEntity].root, owner: destination)
        nextOrder[orderSlot] = (members.compactMap { $0.integer(orderSlot) }.max() ?? 0) + BatchUpdater.step
    }

    /// The distance between the places of members, with room for others between them.
    private static let step: Int64 = 1024

    /// What becomes of one slot.
    private enum Edit {
        case keep
        case set(Value)
        case compute(BatchAssignment, AttributeDescription, RowExpression)
        case integer(Int64?)
        case order
    }

    /// What becomes of the slots of an entity's rows.
    private struct Edits {
        var slots: [Edit]
        var changed: [Int] = []
    }

    private mutating func edits(of entity: EntityDescription) -> Edits {
        if let known = editsOfEntity[entity.index] { return known }
        var edits = Edits(slots: Array(repeating: .keep, count: entity.layout.slots.count))
        for assignment in assignments {
            guard case .attribute(let attribute, let slot, let constant, let expression) = assignment.target else { continue }
            edits.slots[slot] = constant.map { .set($0) } ?? .compute(assignment, attribute, expression)
            edits.changed.append(slot)
        }
        for (slot, constant) in constants {
            edits.slots[slot] = nextOrder[slot] == nil ? .integer(constant) : .order
            edits.changed.append(slot)
        }
        edits.changed.sort()
        editsOfEntity[entity.index] = edits
        return edits
    }

    /// The changed row.
    mutating func update(_ row: Row) throws -> RowUpdate {
        let entity = model.entities[row.entityIndex]
        let edits = edits(of: entity)
        writer.begin(entity, reference: row.reference, version: row.version &+ 1)
        for (slot, description) in entity.layout.slots.enumerated() {
            switch edits.slots[slot] {
            case .keep: writer.copy(slot, description.kind, from: row)
            case .set(let value): writer.set(value, at: slot, description.kind)
            case .compute(let assignment, let attribute, let expression):
                writer.set(try assignment.value(attribute, expression, row, reader), at: slot, description.kind)
            case .integer(let number): if let number { writer.set(integer: number, at: slot) }
            case .order:
                let order = nextOrder[slot] ?? BatchUpdater.step
                writer.set(integer: order, at: slot)
                nextOrder[slot] = order + BatchUpdater.step
            }
        }
        return RowUpdate(row: writer.finish(), changedSlots: edits.changed)
    }
}
