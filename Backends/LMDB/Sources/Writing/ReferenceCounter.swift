import CStrataLMDB
import StrataEngine

/// Assigns references: a record of the store has the last one assigned or reserved of each hierarchy.
struct ReferenceCounter {
    private let schema: StoreSchema
    private let path: String
    var reserve = ReferenceReserve()
    /// The new values of the records, by root entity.
    private var last: [EntityIndex: Int64] = [:]

    init(_ schema: StoreSchema, path: String) {
        self.schema = schema
        self.path = path
    }

    /// Whether no record has a new value.
    var areWritten: Bool { last.isEmpty }

    /// Reserves references, and returns the first.
    mutating func reserve(_ count: Int, root: EntityIndex, _ transaction: OpaquePointer) throws -> Int64 {
        guard schema.hierarchy(root) != nil else {
            throw StoreError(.unknownEntity, .save, "the store holds no entity of that hierarchy", path: path)
        }
        if count > 0, let first = reserve.take(count, root: root) { return first }
        guard count > 0, let references = try unsafe reserve.refill(count, root: root, after: lastReference(root, transaction)) else {
            throw StoreError(.tooLarge, .save, "\(count) references cannot be set aside", path: path)
        }
        last[root] = references.last
        return references.first
    }

    /// Records the references of rows as in use, so that they are not assigned again after the rows are deleted.
    mutating func note(_ rows: [Row], _ transaction: OpaquePointer) throws {
        if rows.count <= ReferenceCounter.fewRows {
            for row in rows { try unsafe note(row.reference, schema.model.entities[row.entityIndex].root, transaction) }
            return
        }
        // By root entity: many rows are of few hierarchies.
        var greatest = [Int64](repeating: 0, count: schema.model.entities.count)
        for row in rows {
            let root = schema.model.entities[row.entityIndex].root
            if row.reference > greatest[root] { greatest[root] = row.reference }
        }
        for root in greatest.typedIndices(EntityIndex.self) where greatest[root] > 0 { try unsafe note(greatest[root], root, transaction) }
    }

    private static let fewRows = 16

    private mutating func note(_ reference: Int64, _ root: EntityIndex, _ transaction: OpaquePointer) throws {
        if reserve.note(reference, root: root) { return }
        if try unsafe reference > lastReference(root, transaction) { last[root] = reference }
    }

    private func lastReference(_ root: EntityIndex, _ transaction: OpaquePointer) throws -> Int64 {
        if let known = last[root] { return known }
        let name = Names.lastReference(root: schema.model.entities[root].name)
        do { return try unsafe Records.number(transaction, schema.store, name) ?? 0 } catch is MalformedBytes {
            throw StoreError.damaged("the last reference is damaged", path: path)
        }
    }

    /// Writes the new values.
    // Mutating, as the transaction would copy the counter for the call.
    mutating func write(_ transaction: OpaquePointer) throws {
        for (root, last) in last {
            let name = Names.lastReference(root: schema.model.entities[root].name)
            try unsafe Records.put(transaction, schema.store, name, number: last)
        }
    }
}
