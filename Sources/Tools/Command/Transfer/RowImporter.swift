import Strata
import StrataStoreTool

/// Imports rows in chunks, each of which is one transaction, and hands over the rows that a store refuses.
struct RowImporter {
    /// Some thousands of rows in a transaction: the cost of a durable commit does not show.
    static let chunkSize = 5_000

    /// A row with the values of its columns, none for a column that is left out.
    private typealias Converted = (row: ImportRow, values: [Value?])

    private let coordinator: PersistentStoreCoordinator
    private let entity: EntityDescription
    private let policy: MergePolicy
    /// Whether nothing of a transaction with a refused row is stored.
    private let isAllOrNothing: Bool
    /// Receives refused rows with the reasons, and throws where the first one ends the import.
    private let reject: (ImportRow, String) throws -> Void

    private var chunk: [Converted] = []
    private var refused: [(row: ImportRow, reason: String)] = []
    private var columns: [String: ImportColumn?] = [:]
    /// The columns of the last row's names.
    private var current: (names: [String], columns: [ImportColumn?])?
    private let paths: [String: String]
    /// The number of imported rows.
    private(set) var imported = 0

    /// Creates an importer.
    ///
    /// - Parameter paths: The property of a column where it is not of the column's name; empty for a column to leave out.
    init(
        _ coordinator: PersistentStoreCoordinator, into entity: EntityDescription, paths: [String: String], policy: MergePolicy,
        isAllOrNothing: Bool, reject: @escaping (ImportRow, String) throws -> Void
    ) {
        self.coordinator = coordinator
        self.entity = entity
        self.paths = paths
        self.policy = policy
        self.isAllOrNothing = isAllOrNothing
        self.reject = reject
    }

    /// Checks that the entity has the properties of some columns, each once.
    mutating func require(_ names: [String]) throws {
        let set = try names.compactMap { try column($0)?.path }
        if let twice = set.first(where: { path in set.count { $0 == path } > 1 }) {
            throw CommandFailure(.data, "several columns are to set \(twice)")
        }
    }

    /// Adds a row; imports the chunk where it is full, and returns whether it did.
    mutating func add(_ row: ImportRow) throws -> Bool {
        if case .malformed(let reason, _) = row.values {
            try refuse(row, reason)
            return try flushIfFull()
        }
        if current?.names != row.names {
            do {
                try require(row.names)
                current = (row.names, try row.names.map { try column($0) })
            } catch let failure as CommandFailure {
                try refuse(row, failure.message)
                return try flushIfFull()
            }
        }
        do {
            let columns = current?.columns ?? []
            switch row.values {
            case .texts(let texts): chunk.append((row, try texts.indices.map { try columns[$0]?.value(text: texts[$0]) }))
            case .json(let values): chunk.append((row, try values.indices.map { try columns[$0]?.value(values[$0]) }))
            case .malformed: break
            }
        } catch let error as RejectedValue {
            try refuse(row, "\(error)")
        }
        return try flushIfFull()
    }

    private mutating func flushIfFull() throws -> Bool {
        guard chunk.count + refused.count >= RowImporter.chunkSize else { return false }
        try flush()
        return true
    }

    /// Imports the rows that wait for a full chunk, and hands over the refused ones in their order.
    mutating func flush() throws {
        defer {
            chunk.removeAll(keepingCapacity: true)
            refused.removeAll()
        }
        try insert(chunk[...])
        for (row, reason) in refused.sorted(by: { $0.row.line < $1.row.line }) { try reject(row, reason) }
    }

    private mutating func refuse(_ row: ImportRow, _ reason: String) throws {
        if isAllOrNothing { try reject(row, reason) } else { refused.append((row, reason)) }
    }

    private mutating func column(_ name: String) throws -> ImportColumn? {
        if let known = columns[name] { return known }
        let path = paths[name] ?? name
        let column = path.isEmpty ? nil : try ImportColumn(path, of: entity, in: coordinator)
        columns[name] = .some(column)
        return column
    }

    /// Inserts rows; where the store refuses them, each half by itself, down to the row that is at fault.
    private mutating func insert(_ rows: ArraySlice<Converted>) throws {
        guard let first = rows.first else { return }
        do {
            imported += try coordinator.execute(request(rows)).count
        } catch let error as BatchInsertError {
            if !isAllOrNothing { imported += rows.count - error.collisions.count }
            for collision in error.collisions {
                let row = rows[rows.startIndex + collision.index].row
                try refuse(row, "\(collision.constraint.joined(separator: ", ")) is that of \(collision.existing)")
            }
        } catch let error as StoreError where [.wrongValue, .unknownKey, .constraint, .notFound, .unsupported].contains(error.code) {
            if rows.count == 1 { return try refuse(first.row, (error.key.map { "\($0): " } ?? "") + error.message) }
            let middle = rows.startIndex + rows.count / 2
            try insert(rows[..<middle])
            try insert(rows[middle...])
        }
    }

    private func request(_ rows: ArraySlice<Converted>) -> BatchInsertRequest {
        // The keys of the last row's columns: those of all rows, but for JSON.
        var last: (names: [String], keys: [Key<Value>?]) = ([], [])
        var index = rows.startIndex
        var request = BatchInsertRequest(entityName: entity.name) { [columns] (row: inout BatchRow) in
            guard index < rows.endIndex else { return true }
            let (source, values) = rows[index]
            if last.names != source.names { last = (source.names, source.names.map { columns[$0]??.key }) }
            for (column, value) in values.enumerated() {
                if let value, let key = last.keys[column] { row[key] = value }
            }
            index += 1
            return false
        }
        request.mergePolicy = policy
        request.origin = TransactionOrigin(author: "strata import")
        request.resultType = .count
        request.isAllOrNothing = isAllOrNothing
        return request
    }
}
