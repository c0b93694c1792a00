import Strata

/// Imports rows in chunks, each of which is one transaction, and hands over the rows that a store refuses.
struct RowImporter {
    /// Some thousands of rows in a transaction: the cost of a durable commit does not show.
    static let chunkSize = 5_000

    let coordinator: PersistentStoreCoordinator
    let entity: EntityDescription
    let policy: MergePolicy
    /// Receives a refused row and the reason; throws where the import is to end.
    let reject: (ImportRow, String) throws -> Void

    private var chunk: [(row: ImportRow, values: [String: Value])] = []
    private var columns: [String: ImportColumn?] = [:]
    private let paths: [String: String]
    /// The number of imported rows.
    private(set) var imported = 0

    /// Creates an importer.
    ///
    /// - Parameter paths: The property of a column where it is not of the column's name; empty for a column to leave out.
    init(
        _ coordinator: PersistentStoreCoordinator, into entity: EntityDescription, paths: [String: String], policy: MergePolicy,
        reject: @escaping (ImportRow, String) throws -> Void
    ) {
        self.coordinator = coordinator
        self.entity = entity
        self.paths = paths
        self.policy = policy
        self.reject = reject
    }

    /// Checks that the entity has the properties of some columns.
    mutating func require(_ names: [String]) throws { for name in names { _ = try column(name) } }

    /// Adds a row; imports the chunk where it is full, and returns whether it did.
    mutating func add(_ row: ImportRow) throws -> Bool {
        do {
            var values: [String: Value] = [:]
            for (name, json) in row.values {
                guard let column = try column(name) else { continue }
                values[column.path] = try column.value(json)
            }
            chunk.append((row, values))
        } catch let error as RejectedValue {
            try reject(row, "\(error)")
        }
        guard chunk.count == RowImporter.chunkSize else { return false }
        try flush()
        return true
    }

    /// Imports the rows that wait for a full chunk.
    mutating func flush() throws {
        defer { chunk.removeAll(keepingCapacity: true) }
        try insert(chunk[...])
    }

    private mutating func column(_ name: String) throws -> ImportColumn? {
        if let known = columns[name] { return known }
        let path = paths[name] ?? name
        let column = path.isEmpty ? nil : try ImportColumn(path, of: entity, in: coordinator)
        columns[name] = .some(column)
        return column
    }

    /// Inserts rows; where the store refuses them, each half by itself, down to the row that is at fault.
    private mutating func insert(_ rows: ArraySlice<(row: ImportRow, values: [String: Value])>) throws {
        guard let first = rows.first else { return }
        var request = BatchInsertRequest(entityName: entity.name, objects: rows.lazy.map(\.values))
        request.mergePolicy = policy
        request.origin = TransactionOrigin(author: "strata import")
        do {
            request.resultType = .count
            imported += try coordinator.execute(request).count
        } catch let error as BatchInsertError {
            imported += rows.count - error.collisions.count
            for collision in error.collisions {
                let row = rows[rows.startIndex + collision.index].row
                try reject(row, "\(collision.constraint.joined(separator: ", ")) is that of \(collision.existing)")
            }
        } catch let error as StoreError where [.wrongValue, .unknownKey, .constraint, .notFound, .unsupported].contains(error.code) {
            if rows.count == 1 { return try reject(first.row, (error.key.map { "\($0): " } ?? "") + error.message) }
            let middle = rows.startIndex + rows.count / 2
            try insert(rows[..<middle])
            try insert(rows[middle...])
        }
    }
}
