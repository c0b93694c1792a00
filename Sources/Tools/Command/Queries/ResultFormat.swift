import ArgumentParser
import Strata
import StrataStoreTool

/// The forms in which results are written.
enum ResultFormat: String, ExpressibleByArgument, CaseIterable {
    /// Columns for a person.
    case table
    /// An object of JSON in each line.
    case jsonl
    /// Comma-separated values, with a line of names.
    case csv
}

/// Writes results line by line.
struct ResultWriter {
    private let format: ResultFormat
    private let write: (String) throws -> Void
    private var names: [String] = []
    private var table: TextTable?

    /// Creates a writer that hands over each line.
    init(_ format: ResultFormat, write: @escaping (String) throws -> Void) {
        self.format = format
        self.write = write
    }

    /// Begins with the columns.
    mutating func begin(_ columns: ResultColumns) throws {
        names = columns.names
        switch format {
        case .table: table = TextTable(columns.names, numbers: columns.numbers)
        case .csv: try write(CSV.line(columns.names))
        case .jsonl: break
        }
    }

    /// Writes a result.
    mutating func add(_ values: [Value]) throws {
        switch format {
        case .table: table?.add(values.map(\.shortCell))
        case .csv: try write(CSV.line(values.map { $0.isNull ? nil : $0.cell }))
        case .jsonl:
            try write(JSON.object(Dictionary(zip(names, values.map(\.json))) { first, _ in first }).line)
        }
    }

    /// Writes what waits for the widths of all columns.
    mutating func end() throws { for line in table?.lines ?? [] { try write(line) } }
}
