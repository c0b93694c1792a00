import StrataModel
import StrataStore

/// Decides what becomes of the rows of a batch insert whose values a constraint keeps unique.
struct BatchMerger {
    private let model: ManagedObjectModel
    private let entity: EntityDescription
    private let policy: MergePolicy
    private let scopes: ObjectIDScopes
    private var known: UniqueRows
    private var writer = RowWriter()
    /// How many objects of the source came before the present chunk.
    private var position = 0
    /// The rows that the request inserted, by reference.
    private var inserted: Set<Int64> = []
    /// The rows of the store that the request changed.
    private var updated: Set<Int64> = []

    init(_ model: ManagedObjectModel, _ entity: EntityDescription, _ policy: MergePolicy, _ scopes: ObjectIDScopes) {
        self.model = model
        self.entity = entity
        self.policy = policy
        self.scopes = scopes
        // What no later row can change need not be remembered whole.
        let keepsRows = switch policy.resolution {
        case .error?, .rollback?, .mergeByPropertyStoreTrump?: false
        default: true
        }
        known = UniqueRows(model, entity, keepsRows: keepsRows)
    }

    /// The changes of one chunk, with the place in them of each row changed again.
    private struct Pending {
        var changes = ChangeSet()
        var insertions: [Int64: Int] = [:]
        var updates: [Int64: Int] = [:]
    }

    /// What a chunk changes.
    ///
    /// - Parameter rows: The rows with the references that they get if they are inserted.
    /// - Throws: What the policy or the store throws.
    mutating func merge(
        _ rows: [Row], _ given: [[Int]], _ reader: any StoreReader, _ outcome: inout BatchInserter.Outcome
    ) throws -> ChangeSet {
        let keys = rows.map { known.keys(of: $0) }
        try known.load(keys, reader)
        var pending = Pending()
        for (place, row) in rows.enumerated() {
            var others: [(reference: Int64, key: UniqueKey)] = []
            for key in keys[place] {
                guard let other = known.owner(of: key), !others.contains(where: { $0.reference == other }) else { continue }
                others.append((other, key))
            }
            if others.isEmpty {
                pending.insertions[row.reference] = pending.changes.inserted.count
                pending.changes.inserted.append(row)
                known.write(row, keys: keys[place])
                inserted.insert(row.reference)
                let reference = ObjectReference(entity: row.entityIndex, reference: row.reference)
                outcome.inserted.append(reference)
                outcome.written.append(reference)
                outcome.count += 1
                continue
            }
            try collide(row, given[place], others, position + place, &pending, &outcome)
        }
        position += rows.count
        return pending.changes
    }

    private mutating func collide(
        _ row: Row, _ given: [Int], _ others: [(reference: Int64, key: UniqueKey)], _ index: Int, _ pending: inout Pending,
        _ outcome: inout BatchInserter.Outcome
    ) throws {
        let other = others[0].reference
        let current = known.row(other)
        let names = entity.uniquenessConstraints[others[0].key.constraint].names
        let existing = ObjectID(scope: scopes[current?.entityIndex ?? entity.index], reference: other)
        let values = row.values(in: entity, scopes).filter { entity.attribute(named: $0.key) != nil }
        let conflict = MergeConflict(
            .constraint(names), entity: entity, objectID: nil, otherID: existing, values: values,
            stored: current?.values(in: model.entities[current?.entityIndex ?? entity.index], scopes) ?? [:])
        var resolution = try policy.resolve(conflict)
        switch resolution {
        case .rollback, .mergeByPropertyStoreTrump: return
        case .error: break
        default:
            // A row cannot become part of two others, nor of one that lacks its attributes.
            let isOfEntity = current.map { model.entities[$0.entityIndex].isKind(of: entity) } ?? false
            if others.count > 1 || !isOfEntity { resolution = .error }
        }
        guard let current, let merged = try merge(row, given, into: current, resolution, pending) else {
            return outcome.collisions.append(
                BatchInsertError.Collision(index: index, constraint: names, values: values, existing: existing))
        }
        known.write(merged)
        put(merged, over: current, &pending)
        let reference = ObjectReference(entity: merged.entityIndex, reference: merged.reference)
        if !inserted.contains(other), updated.insert(other).inserted {
            outcome.updated.append(reference)
            outcome.written.append(reference)
        }
        outcome.count += 1
    }

    /// The other row with values of this one; `nil` where it is refused.
    private mutating func merge(
        _ row: Row, _ given: [Int], into current: Row, _ resolution: MergePolicy.Resolution, _ pending: Pending
    ) throws -> Row? {
        let own = model.entities[current.entityIndex]
        var replaced: [Int: Value] = [:]
        switch resolution {
        case .error, .rollback, .mergeByPropertyStoreTrump: return nil
        case .mergeByPropertyObjectTrump:
            for property in given {
                if case .attribute(let attribute) = entity.properties[property], let slot = attribute.slot {
                    replaced[slot] = row.value(slot, attribute.slotKind)
                }
            }
        case .overwrite:
            for attribute in entity.attributes {
                if let slot = attribute.slot { replaced[slot] = row.value(slot, attribute.slotKind) }
            }
        case .values(let values):
            for (name, value) in values {
                guard let attribute = own.attribute(named: name), let slot = attribute.slot else {
                    throw StoreError(.unknownKey, "batch insert", "a merge policy gave it a value", entity: own.name, key: name)
                }
                guard let coerced = attribute.type.coerce(value) else {
                    throw StoreError(.wrongValue, "batch insert", "\(value) is no \(attribute.type)", entity: own.name, key: name)
                }
                replaced[slot] = coerced
            }
        }
        let isNew = pending.insertions[current.reference] != nil || pending.updates[current.reference] != nil
        writer.begin(own, reference: current.reference, version: isNew ? current.version : current.version &+ 1)
        for (slot, description) in own.layout.slots.enumerated() {
            if let value = replaced[slot] {
                writer.set(value, at: slot, description.kind)
            } else {
                writer.copy(slot, description.kind, from: current)
            }
        }
        return writer.finish()
    }

    private func put(_ merged: Row, over current: Row, _ pending: inout Pending) {
        if let place = pending.insertions[merged.reference] {
            pending.changes.inserted[place] = merged
            return
        }
        let slots = Array(model.entities[merged.entityIndex].layout.slots.indices)
        let update = RowUpdate(row: merged, changedSlots: slots)
        if let place = pending.updates[merged.reference] {
            pending.changes.updated[place] = update
        } else {
            pending.updates[merged.reference] = pending.changes.updated.count
            pending.changes.updated.append(update)
        }
    }
}
