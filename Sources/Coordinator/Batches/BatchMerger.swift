import StrataStore

/// The resolution of a batch insert's constraint conflicts.
struct BatchMerger {
    private let model: ManagedObjectModel
    private let entity: EntityDescription
    private let policy: MergePolicy
    private let scopes: ObjectIDScopes
    private let slots: [Slot]
    /// The indices of the attributes that form one value with each: the elements of a composite attribute, or itself.
    private let units: [[Int]]
    private var known: UniqueRows
    private var writer = RowWriter()
    /// The references of the request's own rows.
    private var own = RangeSet<Int64>()
    private var updated: Set<Int64> = []

    init(_ model: ManagedObjectModel, _ entity: EntityDescription, _ policy: MergePolicy, _ scopes: ObjectIDScopes) {
        self.model = model
        self.entity = entity
        self.policy = policy
        self.scopes = scopes
        let stored = entity.storedAttributes
        slots = stored.compactMap(\.slot)
        units = stored.enumerated().map { index, attribute in
            guard let name = attribute.compositeName else { return [index] }
            return stored.indices.filter { stored[$0].compositeName == name }
        }
        known = UniqueRows(model: model, entity: entity)
    }

    /// Returns whether a policy depends on which attributes an object was given.
    static func asksForGiven(_ policy: MergePolicy) -> Bool {
        policy.resolution == nil || policy.resolution == .mergeByPropertyObjectTrump
    }

    /// The changes of one chunk, with the index in them of each row that is changed again.
    private struct ChunkChanges {
        var changes = ChangeSet()
        var insertions: [Int64: Int] = [:]
        var updates: [Int64: Int] = [:]
    }

    /// Records the references of the request's new rows.
    mutating func note(own references: Range<Int64>) { own.insert(contentsOf: references) }

    /// Returns the changes of a chunk's rows from an index on, after those before it were inserted.
    ///
    /// - Parameters:
    ///   - start: The index.
    ///   - position: The number of objects of the source before the chunk.
    ///   - reader: A reader of the request's changes so far.
    mutating func merge(
        _ chunk: BatchRowPacker.Chunk, from start: Int, position: Int, _ reader: any StoreReader, _ outcome: inout BatchInserter.Outcome
    ) throws -> ChangeSet {
        let rows = chunk.rows[start...]
        let keys = rows.map { known.keys(of: $0) }
        known = UniqueRows(model: model, entity: entity)
        try known.load(keys, reader)
        var chunkChanges = ChunkChanges()
        for (rowIndex, keys) in zip(rows.indices, keys) {
            let row = rows[rowIndex]
            var others: [(reference: Int64, key: UniqueKey)] = []
            for key in keys {
                guard let other = known.owners[key], !others.contains(where: { $0.reference == other }) else { continue }
                others.append((other, key))
            }
            if others.isEmpty {
                chunkChanges.insertions[row.reference] = chunkChanges.changes.inserted.count
                chunkChanges.changes.inserted.append(row)
                known.write(row, keys: keys)
                outcome.insert(row)
                continue
            }
            try resolve(ConflictingRow(chunk: chunk, index: rowIndex, position: position), others, &chunkChanges, &outcome)
        }
        return chunkChanges.changes
    }

    /// A row of a chunk whose values other rows have and a constraint keeps unique.
    private struct ConflictingRow {
        let chunk: BatchRowPacker.Chunk
        let index: Int
        /// The number of objects of the source before the chunk.
        let position: Int

        var row: Row { chunk.rows[index] }
    }

    private mutating func resolve(
        _ conflicting: ConflictingRow, _ others: [(reference: Int64, key: UniqueKey)], _ chunkChanges: inout ChunkChanges,
        _ outcome: inout BatchInserter.Outcome
    ) throws {
        let row = conflicting.row
        let other = others[0].reference
        outcome.others[row.reference] = .some(nil)
        let current = known.rows[other]
        let names = entity.uniquenessConstraints[others[0].key.constraint].names
        let existing = ObjectID(scope: scopes[current?.entityIndex ?? entity.index], reference: other)
        var values: [String: Value] { row.values(in: entity, scopes).filter { entity.attribute(named: $0.key) != nil } }
        var resolution: MergePolicy.Resolution
        if let always = policy.resolution {
            resolution = always
        } else {
            let stored = current?.values(in: model.entities[current?.entityIndex ?? entity.index], scopes) ?? [:]
            var conflict = MergeConflict(.constraint(names), entity: entity, objectID: nil, otherID: existing, values: values)
            conflict.stored = stored
            resolution = try policy.resolve(conflict)
        }
        switch resolution.onCollision {
        case .keepsOther: return
        case .refused: break
        case .changesOther:
            // A row cannot be united with two others, nor with one that lacks its attributes.
            let canBecome = current.map { model.entities[$0.entityIndex].isKind(of: entity) } ?? false
            if others.count > 1 || !canBecome { resolution = .error }
        }
        guard let current, let merged = try merge(conflicting, into: current, resolution, chunkChanges) else {
            let index = conflicting.position + conflicting.index
            return outcome.collisions.append(
                BatchInsertError.Collision(index: index, constraint: names, values: values, existing: existing))
        }
        if resolution.takesAttribute(isGiven: true) { outcome.others[row.reference] = .some(other) }
        known.write(merged)
        put(merged, over: current, &chunkChanges)
        let reference = ObjectReference(entity: merged.entityIndex, reference: merged.reference)
        if !own.contains(other) {
            if updated.insert(other).inserted {
                outcome.updated.append(reference)
                outcome.written.append(reference)
            }
            let slots = model.entities[merged.entityIndex].layout.indexedSlots.filter { !merged.slot($0, $1.kind, equals: current) }
            outcome.changedSlots[other, default: []].formUnion(slots.map(\.slot))
        }
        outcome.count += 1
    }

    /// Returns the other row with values of this one; `nil` where it is refused.
    private mutating func merge(
        _ conflicting: ConflictingRow, into current: Row, _ resolution: MergePolicy.Resolution, _ chunkChanges: ChunkChanges
    ) throws -> Row? {
        guard case .changesOther = resolution.onCollision else { return nil }
        let (row, given) = (conflicting.row, conflicting.chunk.given(conflicting.index))
        let kind = model.entities[current.entityIndex]
        // The slots that get the new row's values.
        var isTaken = [Bool](repeating: false, count: kind.layout.slots.count)
        for (index, slot) in slots.enumerated() {
            // Known where the policy may depend on it.
            let isGiven = units[index].contains { $0 < given.count && given[given.startIndex + $0] }
            isTaken[slot] = resolution.takesAttribute(isGiven: isGiven)
        }
        // A member that keeps its owner keeps its position.
        for slots in conflicting.chunk.toOnes[conflicting.index] ?? []
        where resolution.takesAttribute(isGiven: true) && row.integer(slots.reference) != current.integer(slots.reference) {
            for slot in [slots.reference, slots.entity, slots.order].compactMap(\.self) { isTaken[slot] = true }
        }
        var replaced: [Slot: Value] = [:]
        for (name, value) in resolution.givenValues {
            guard let attribute = kind.attribute(named: name), let slot = attribute.slot else {
                throw StoreError(.unknownKey, .batchInsert, "a merge policy gave it a value", entity: kind.name, key: name)
            }
            guard let coerced = attribute.type.coerce(value) else {
                throw StoreError(.wrongValue, .batchInsert, "\(value.excerpt) is no \(attribute.type)", entity: kind.name, key: name)
            }
            replaced[slot] = coerced
        }
        let isNew = chunkChanges.insertions[current.reference] != nil || chunkChanges.updates[current.reference] != nil
        writer.begin(kind, reference: current.reference, version: isNew ? current.version : current.version &+ 1)
        for (slot, description) in kind.layout.indexedSlots {
            if let value = replaced[slot] {
                writer.set(value, at: slot, description.kind)
            } else {
                writer.copy(slot, description.kind, from: isTaken[slot] ? row : current)
            }
        }
        return writer.finish()
    }

    private func put(_ merged: Row, over current: Row, _ chunkChanges: inout ChunkChanges) {
        if let index = chunkChanges.insertions[merged.reference] {
            chunkChanges.changes.inserted[index] = merged
            return
        }
        let slots = Array(model.entities[merged.entityIndex].layout.slots.typedIndices(Slot.self))
        let update = RowUpdate(row: merged, changedSlots: slots)
        if let index = chunkChanges.updates[merged.reference] {
            chunkChanges.changes.updated[index] = update
        } else {
            chunkChanges.updates[merged.reference] = chunkChanges.changes.updated.count
            chunkChanges.changes.updated.append(update)
        }
    }
}
