import StrataModel
import StrataStore

/// Carries out a batch insert in one store.
struct BatchInserter {
    private let model: ManagedObjectModel
    private let request: BatchInsertRequest
    private let entity: EntityDescription
    private let entry: StoreEntry
    private let policy: MergePolicy
    private var hasConstraints: Bool { !entity.uniquenessConstraints.isEmpty }

    init(_ request: BatchInsertRequest, _ entity: EntityDescription, _ entry: StoreEntry, _ model: ManagedObjectModel) {
        self.request = request
        self.entity = entity
        self.entry = entry
        self.model = model
        policy = request.mergePolicy ?? .error
    }

    /// - Throws: ``BatchInsertError`` where objects were refused, after the others were inserted; everything else with nothing changed.
    func run() throws -> BatchResult {
        var packer = BatchRowPacker(entity, request.start(), tracksGiven: hasConstraints)
        // Before the store's turn is taken: most mistakes show here.
        let first = try packer.next()
        var outcome = Outcome()
        if !first.rows.isEmpty {
            try entry.store.write { transaction in
                outcome = Outcome()
                var merger = BatchMerger(model, entity, policy, entry.scopes)
                var chunk = first
                while true {
                    try insert(chunk, transaction, &merger, &outcome)
                    if chunk.isLast { break }
                    chunk = try packer.next()
                    if chunk.rows.isEmpty { break }
                }
            }
        }
        func ids(_ references: [ObjectReference]) -> [ObjectID] {
            references.map { ObjectID(scope: entry.scopes[$0.entity], reference: $0.reference) }
        }
        if !outcome.collisions.isEmpty {
            throw BatchInsertError(inserted: ids(outcome.inserted), collisions: outcome.collisions)
        }
        guard request.resultType == .objectIDs else { return BatchResult(request.resultType, count: outcome.count) }
        return BatchResult(
            .objectIDs, count: outcome.count, objectIDs: ids(outcome.written),
            changes: RemoteChanges(inserted: ids(outcome.inserted), updated: ids(outcome.updated)))
    }

    private func insert(
        _ chunk: BatchRowPacker.Chunk, _ transaction: any StoreTransaction, _ merger: inout BatchMerger, _ outcome: inout Outcome
    ) throws {
        let reference = try transaction.reserveReferences(chunk.rows.count, root: entity.root)
        var writer = RowWriter()
        let rows = chunk.rows.enumerated().map { writer.copy($1, reference: reference + Int64($0), replacing: []) }
        var changes = ChangeSet()
        if hasConstraints {
            changes = try entry.store.read { try merger.merge(rows, chunk.given, $0, &outcome) }
        } else {
            changes.inserted = rows
            outcome.count += rows.count
            if request.resultType == .objectIDs {
                outcome.inserted += rows.map { ObjectReference(entity: entity.index, reference: $0.reference) }
                outcome.written = outcome.inserted
            }
        }
        if changes.isEmpty { return }
        let conflicts = try transaction.apply(changes)
        guard conflicts.isEmpty else {
            throw SaveConflictError(
                conflicts: conflicts.map { conflict in
                    let id = ObjectID(scope: entry.scopes[conflict.entity], reference: conflict.reference)
                    return SaveConflictError.Conflict(objectID: id, reason: conflict.reason)
                })
        }
    }

    /// What became of the objects so far.
    struct Outcome {
        /// The number of objects inserted or updated, each once for every time that the source gave it.
        var count = 0
        /// The rows inserted.
        var inserted: [ObjectReference] = []
        /// The rows that were in the store and were changed.
        var updated: [ObjectReference] = []
        /// Both, in the order of the source.
        var written: [ObjectReference] = []
        var collisions: [BatchInsertError.Collision] = []
    }
}
