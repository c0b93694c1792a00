/// A transaction over tables: it works on a version that no reader sees until the commit.
public final class TableTransaction: StoreTransaction {
    private let engine: TableEngine
    // Exclusivity is not checked at run time: one thread uses a transaction, and no change of it spans another.
    @safe @exclusivity(unchecked) private(set) var next: TableVersion
    private var hasConflicts = false
    private var isFinished = false

    init(_ engine: TableEngine, _ version: TableVersion) {
        self.engine = engine
        next = version
    }

    deinit { rollback() }

    /// Begins with the current tables; called before anything is changed.
    func restart() { next = engine.current }

    public func reserveReferences(_ count: Int, root: EntityIndex) throws -> Int64 {
        try checkOpen()
        let hierarchy = try hierarchy(of: root)
        let last = engine.referenceScope == .store ? next.lastReference.max() ?? 0 : next.lastReference[hierarchy]
        let (end, overflow) = last.addingReportingOverflow(Int64(max(0, count)))
        guard !overflow else { throw StoreError(.tooLarge, .save, "the store has no reference left", path: engine.path) }
        next.lastReference[hierarchy] = end
        return last + 1
    }

    public func apply(_ changes: ChangeSet) throws -> [StoreConflict] {
        try checkOpen()
        // A change set that fails half-way leaves a version that must not be committed.
        let hadConflicts = hasConflicts
        hasConflicts = true
        var conflicts: [StoreConflict] = []
        var changed: [[HierarchyTable.Change]] = engine.schema.hierarchies.map { _ in [] }
        let bases = next.hierarchies.map(\.rows)
        for deletion in changes.deleted { try apply(deletion, &changed, &conflicts) }
        for (change, row) in zip(changes.updated, TableTransaction.compacted(changes.updated.map(\.row))) {
            try update(row, expecting: change.expectedVersion, &changed, &conflicts)
        }
        for row in TableTransaction.compacted(changes.inserted) { try insert(row, &changed, &conflicts) }
        try next.damage.check()
        if !conflicts.isEmpty { return conflicts }
        for (hierarchy, changes) in changed.enumerated() where !changes.isEmpty {
            next.hierarchies[hierarchy].reindex(changes, from: bases[hierarchy], engine.schema.hierarchies[hierarchy])
            conflicts += UniquenessCheck.conflicts(
                changes, next.hierarchies[hierarchy], engine.schema.hierarchies[hierarchy], engine.schema.model)
        }
        try next.apply(changes.links, path: engine.path)
        if let metadata = changes.metadata { next.metadata = metadata }
        try next.damage.check()
        hasConflicts = hadConflicts || !conflicts.isEmpty
        return conflicts
    }

    public func insertUncontested(_ rows: [Row]) throws -> Int {
        try checkOpen()
        if hasConflicts { return 0 }
        let before = next
        var changes = ChangeSet()
        changes.inserted = rows
        if try apply(changes).isEmpty { return rows.count }
        next = before
        hasConflicts = false
        return 0
    }

    public func append(_ record: HistoryRecord) throws -> Int64 {
        try checkOpen()
        return try next.history.append(record, path: engine.path)
    }

    public func deleteHistory(through mark: HistoryRecord) throws {
        try checkOpen()
        try next.history.delete(through: mark, path: engine.path)
    }

    public func replaceHistory(by mark: HistoryRecord) throws {
        try checkOpen()
        next.history = HistoryTable([mark])
        // A file has a damaged one there.
        next.metadata.historyRecords = []
    }

    public func read<T>(_ body: (any StoreReader) throws -> T) throws -> T {
        try checkOpen()
        return try body(TableReader(version: next, schema: engine.schema))
    }

    public func metadata() throws -> StoreMetadata {
        try checkOpen()
        return next.metadata
    }

    public func prepare() throws {
        try checkOpen()
        guard !hasConflicts else {
            throw StoreError(.conflict, .save, "row version conflict or duplicate key: the changes were not applied", path: engine.path)
        }
    }

    public func commit() throws {
        try prepare()
        engine.replace(with: next)
        finish()
    }

    public func rollback() { finish() }

    /// The content for a codec to write; throws `StoreError` with `corrupt` where the file of the tables is damaged.
    var contents: TableContents { get throws(StoreError) { try next.contents(engine.schema) } }

    /// The greatest references that the transaction reserved or gave to rows, by the index of the root entity.
    var changedReferences: [EntityIndex: Int64] {
        let before = engine.current.lastReference
        return Dictionary(
            uniqueKeysWithValues: engine.schema.hierarchies.indices.filter { next.lastReference[$0] != before[$0] }.map {
                (engine.schema.hierarchies[$0].root.index, next.lastReference[$0])
            })
    }

    func row(entity: EntityIndex, reference: Int64) -> Row? {
        guard let hierarchy = engine.schema.hierarchyIndex(of: entity) else { return nil }
        return next.hierarchies[hierarchy].rows[reference]
    }

    private func finish() {
        if isFinished { return }
        isFinished = true
        engine.writeLock.release()
    }

    /// Throws `closed` once the transaction is over.
    func checkOpen() throws(StoreError) {
        if isFinished { throw StoreError(.closed, .save, "the transaction is over", path: engine.path) }
    }

    private func hierarchy(of entity: EntityIndex) throws(StoreError) -> Int {
        guard let hierarchy = engine.schema.hierarchyIndex(of: entity) else {
            throw StoreError(.unknownEntity, .save, "the model has no entity \(entity)", path: engine.path)
        }
        return hierarchy
    }

    private func apply(
        _ deletion: RowDeletion, _ changed: inout [[HierarchyTable.Change]], _ conflicts: inout [StoreConflict]
    ) throws(StoreError) {
        let hierarchy = try hierarchy(of: deletion.entity)
        guard let old = next.hierarchies[hierarchy].rows[deletion.reference] else {
            conflicts.append(StoreConflict(entity: deletion.entity, reference: deletion.reference, reason: .deleted))
            return
        }
        guard old.version == deletion.expectedVersion else {
            conflicts.append(StoreConflict(entity: deletion.entity, reference: deletion.reference, reason: .changed(old)))
            return
        }
        next.remove(deletion.reference, hierarchy, engine.schema)
        changed[hierarchy].append(.init(old: old, new: nil))
    }

    private func update(
        _ row: Row, expecting version: UInt32, _ changed: inout [[HierarchyTable.Change]], _ conflicts: inout [StoreConflict]
    ) throws(StoreError) {
        let hierarchy = try hierarchy(of: row.entityIndex)
        guard let old = next.hierarchies[hierarchy].rows[row.reference] else {
            conflicts.append(StoreConflict(entity: row.entityIndex, reference: row.reference, reason: .deleted))
            return
        }
        guard old.version == version, old.entityIndex == row.entityIndex else {
            conflicts.append(StoreConflict(entity: row.entityIndex, reference: row.reference, reason: .changed(old)))
            return
        }
        next.hierarchies[hierarchy].put(row, engine.schema.hierarchies[hierarchy])
        changed[hierarchy].append(.init(old: old, new: row))
    }

    private func insert(_ row: Row, _ changed: inout [[HierarchyTable.Change]], _ conflicts: inout [StoreConflict]) throws(StoreError) {
        let hierarchy = try hierarchy(of: row.entityIndex)
        guard row.reference > 0 else {
            throw StoreError(.wrongValue, .save, "a new row needs a reference above 0", path: engine.path)
        }
        if let old = next.hierarchies[hierarchy].rows[row.reference] {
            conflicts.append(StoreConflict(entity: row.entityIndex, reference: row.reference, reason: .changed(old)))
            return
        }
        next.hierarchies[hierarchy].put(row, engine.schema.hierarchies[hierarchy])
        next.lastReference[hierarchy] = max(next.lastReference[hierarchy], row.reference)
        changed[hierarchy].append(.init(old: nil, new: row))
    }

    /// Returns a few rows in minimal memory: each would keep its whole chunk alive.
    private static func compacted(_ rows: [Row]) -> [Row] {
        let size = rows.reduce(0) { $0 + $1.byteCount }
        guard size > 0, size < 32 * 1024 else { return rows }
        var writer = RowWriter(chunkSize: size + 16)
        return rows.map { writer.copy($0) }
    }
}
