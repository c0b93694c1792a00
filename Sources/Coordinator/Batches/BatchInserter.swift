import StrataStore

/// The execution of a batch insert in one store.
struct BatchInserter {
    /// Runs a body in a transaction of the store, collects its changes for listeners, and retries a failure caused by
    /// others where the body permits it.
    typealias Writing = (
        _ isRepeatable: () -> Bool, _ changes: (StoreEntry) -> [SaveEvent.StoreChanges],
        _ body: (StoreEntry, StoreWriter) throws -> Void
    ) throws -> Void

    private let model: ManagedObjectModel
    private let request: BatchInsertRequest
    private let entity: EntityDescription
    private let policy: MergePolicy
    /// The numbers of the rows; `nil` where the entity has no sequence.
    private let sequence: BatchSequence?
    private var hasConstraints: Bool { !entity.uniquenessConstraints.isEmpty }

    init(_ request: BatchInsertRequest, _ entity: EntityDescription, _ model: ManagedObjectModel, _ sequence: BatchSequence?) {
        self.sequence = sequence
        self.request = request
        self.entity = entity
        self.model = model
        policy = request.mergePolicy ?? .error
    }

    /// - Throws: ``BatchInsertError`` where objects were refused, after the others were inserted; everything else with
    ///   nothing changed.
    func run(_ write: Writing) throws -> BatchResult {
        var packer = BatchRowPacker(entity, model, request.start(), tracksGiven: hasConstraints && BatchMerger.asksForGiven(policy))
        // Before the write lock is acquired: most mistakes show here.
        let first = try packer.next()
        var outcome = Outcome(scopes: ObjectIDScopes(model: model, storeID: nil))
        func ids(_ references: [ObjectReference]) -> [ObjectID] {
            references.map { ObjectID(scope: outcome.scopes[$0.entity], reference: $0.reference) }
        }
        func changes(_ entry: StoreEntry) -> [SaveEvent.StoreChanges] {
            let slots = outcome.updated.map { outcome.changedSlots[$0.reference, default: []].sorted() }
            let derived = outcome.derived.map { (id: ids([$0.object])[0], slots: $0.slots) }
            var told = SaveEvent.StoreChanges(
                entry, inserted: ids(outcome.inserted), updated: Array(zip(ids(outcome.updated), slots)) + derived)
            told.links = outcome.links
            return [told]
        }
        if !first.rows.isEmpty {
            // Objects of the source cannot be read again.
            var hasTakenMore = false
            try write({ !hasTakenMore }, changes) { entry, writer in
                let transaction = writer.transaction
                outcome = Outcome(scopes: entry.scopes)
                var insertion = Insertion(
                    entry: entry, writer: writer, merger: BatchMerger(model, entity, policy, entry.scopes),
                    linker: BatchLinker(entity, model, entry))
                var sequence = sequence
                var (chunk, position) = (first, 0)
                while !chunk.rows.isEmpty {
                    func reserve(_ count: Int) throws -> Int64 { try entry.reserveReferences(count, root: entity.root, in: transaction) }
                    chunk.number(from: try sequence?.reserve(for: chunk, reserve) ?? reserve(chunk.rows.count))
                    var start = 0
                    while start < chunk.rows.count {
                        let count = insertion.linker.countOfIndependent(chunk, from: start)
                        var part = chunk.part(start..<(start + count))
                        let links = part.references.isEmpty ? [] : try transaction.read { try insertion.linker.fill(&part, $0) }
                        try insert(part, links, at: position + start, &insertion, &outcome)
                        start += count
                    }
                    if chunk.isLast { break }
                    position += chunk.rows.count
                    hasTakenMore = true
                    chunk = try packer.next()
                }
                if request.isAllOrNothing, !outcome.collisions.isEmpty {
                    throw BatchInsertError(inserted: [], collisions: outcome.collisions)
                }
                outcome.noteDerived(writer)
                try writer.appendHistory(.batch) { outcome.add(to: &$0, model) }
            }
        }
        if !outcome.collisions.isEmpty {
            throw BatchInsertError(inserted: ids(outcome.inserted), collisions: outcome.collisions)
        }
        guard request.resultType == .objectIDs else { return BatchResult(request.resultType, count: outcome.count) }
        return BatchResult(
            .objectIDs, count: outcome.count, objectIDs: ids(outcome.written),
            changes: RemoteChanges(inserted: ids(outcome.inserted), updated: ids(outcome.updated + outcome.derived.map(\.object))))
    }

    /// Inserts a chunk, as a whole up to the first constraint violation, and then row by row.
    ///
    /// - Parameter position: The index of the chunk's first object in the source.
    private func insert(
        _ chunk: BatchRowPacker.Chunk, _ links: [BatchLinker.Links], at position: Int, _ insertion: inout Insertion,
        _ outcome: inout Outcome
    ) throws {
        let (entry, writer) = (insertion.entry, insertion.writer)
        var chunk = chunk
        // A constraint may be over derived attributes.
        if hasConstraints { chunk.rows = try writer.derived(chunk.rows) }
        let rows = chunk.rows
        var changes = ChangeSet()
        if hasConstraints {
            insertion.merger.note(own: rows[0].reference..<(rows[0].reference + Int64(rows.count)))
            let done = insertion.expectsCollisions ? 0 : try writer.insertUncontested(rows)
            guard (0...rows.count).contains(done) else {
                throw StoreError(.unsupported, .batchInsert, "a store inserted other rows than it was given", path: entry.store.path)
            }
            for row in rows[..<done] { outcome.insert(row) }
            if done < rows.count {
                changes = try writer.transaction.read { try insertion.merger.merge(chunk, from: done, position: position, $0, &outcome) }
                insertion.expectsCollisions = done + changes.inserted.count < rows.count
            }
        } else {
            changes.inserted = rows
            for row in rows { outcome.insert(row) }
        }
        if !links.isEmpty {
            changes.links = try writer.transaction.read {
                try insertion.linker.changes(links, $0) { outcome.standing(of: rows[$0].reference) }
            }
            if entry.isTracked || entry.keepsHistory { outcome.links += changes.links }
            outcome.others = [:]
        }
        if changes.isEmpty { return }
        let conflicts = try entry.checked(writer.apply(changes))
        guard conflicts.isEmpty else {
            throw SaveConflictError(
                conflicts: conflicts.map { conflict in
                    let id = ObjectID(scope: outcome.scopes[conflict.entity], reference: conflict.reference)
                    var otherID: ObjectID?
                    if case .constraint(_, let other) = conflict.reason {
                        otherID = ObjectID(scope: outcome.scopes[entity.root], reference: other)
                    }
                    let values = changes.values(of: conflict, model)
                    return SaveConflictError.Conflict(objectID: id, reason: conflict.reason, otherID: otherID, values: values)
                })
        }
    }

    /// An insertion into one store.
    private struct Insertion {
        let entry: StoreEntry
        let writer: StoreWriter
        var merger: BatchMerger
        var linker: BatchLinker
        /// Whether the last chunk had collisions: then the next one is not inserted without a look at each row.
        var expectsCollisions = false
    }

    /// The result so far.
    struct Outcome {
        var scopes: ObjectIDScopes
        /// The number of inserted or updated objects, with repetitions of the source.
        var count = 0
        var inserted: [ObjectReference] = []
        var updated: [ObjectReference] = []
        /// The changed slots of these, by reference.
        var changedSlots: [Int64: Set<Slot>] = [:]
        /// Inserted and updated objects, in the order of the source.
        var written: [ObjectReference] = []
        var collisions: [BatchInsertError.Collision] = []
        /// The rows that rows of the last chunk were united with, by reference; `nil` for refused and skipped ones.
        var others: [Int64: Int64?] = [:]
        /// The changed links, for remote-change tracking and for the history.
        var links: [LinkChange] = []
        /// The other rows of the store whose derived values changed.
        private(set) var derived: [(object: ObjectReference, slots: [Slot])] = []

        mutating func noteDerived(_ writer: StoreWriter) {
            let rows = writer.derived.values
            if rows.isEmpty { return }
            let own = Set(inserted).union(updated)
            derived = rows.map { (ObjectReference(entity: $0.row.entityIndex, reference: $0.row.reference), $0.slots.sorted()) }
                .filter { !own.contains($0.object) }
        }

        /// Adds the changes to a transaction of the history.
        func add(to body: inout HistoryBodyWriter, _ model: ManagedObjectModel) {
            for object in inserted { body.insert(object.entity, object.reference) }
            var others: [RowID: (entity: EntityIndex, properties: [Int])] = [:]
            for change in links {
                let table = model.linkTables[change.table]
                for (end, reference) in [(table.first, change.link.first), (table.second, change.link.second)] {
                    others[RowID(end.entity, reference, model), default: (end.entity, [])].properties.append(end.property)
                }
            }
            for object in inserted where !others.isEmpty { others[RowID(object.entity, object.reference, model)] = nil }
            let updated = updated.map { ($0, changedSlots[$0.reference, default: []].sorted()) } + derived.map { ($0.object, $0.slots) }
            for (object, slots) in updated {
                let properties = slots.map { model.entities[object.entity].layout.slots[$0].property }
                let other = others.removeValue(forKey: RowID(object.entity, object.reference, model))?.properties ?? []
                body.update(object.entity, object.reference, properties: properties + other)
            }
            for (id, other) in others.sorted(by: { ($0.key.root, $0.key.reference) < ($1.key.root, $1.key.reference) }) {
                body.update(other.entity, id.reference, properties: other.properties)
            }
        }

        /// Returns the stored reference of a row of the last chunk, and whether it existed before; `nil` where it was
        /// not inserted.
        func standing(of reference: Int64) -> (reference: Int64, wasThere: Bool)? {
            guard let other = others[reference] else { return (reference, false) }
            return other.map { ($0, true) }
        }

        mutating func insert(_ row: Row) {
            let reference = ObjectReference(entity: row.entityIndex, reference: row.reference)
            inserted.append(reference)
            written.append(reference)
            count += 1
        }
    }
}

/// The numbers of a sequence for the rows of a batch insert.
struct BatchSequence {
    let coordinator: PersistentStoreCoordinator
    let entity: EntityDescription
    let key: SequenceNumbers.Key
    /// Numbers are above it.
    var floor: Int64

    /// Reserves the references of a chunk, which are the numbers of the rows that are given none.
    mutating func reserve(for chunk: BatchRowPacker.Chunk, _ reserve: (Int) throws -> Int64) throws -> Int64 {
        if chunk.greatestNumber > floor {
            floor = chunk.greatestNumber
            coordinator.sequences.note(saved: floor, key)
        }
        if chunk.sequences.isEmpty { return try reserve(chunk.rows.count) }
        return try coordinator.reserveNumbers(chunk.rows.count, above: floor, of: entity, reserve)
    }
}
