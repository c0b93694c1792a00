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
    /// The rows of a table whose widths are known before they are written; those of the first ones are kept for the rest.
    private static let blockSize = 1_000

    private let format: ResultFormat
    private let write: ([UInt8]) throws -> Void
    private var objects = JSONLines()
    private var table: TextTable?
    private var line: [UInt8] = []
    private var csv = CSV()

    /// Creates a writer that hands over each line with its end.
    init(_ format: ResultFormat, write: @escaping ([UInt8]) throws -> Void) {
        self.format = format
        self.write = write
    }

    /// Begins with the columns.
    mutating func begin(_ columns: ResultColumns) throws {
        switch format {
        case .table: table = TextTable(columns.names, numbers: columns.numbers)
        case .csv:
            csv.append(names: columns.names, to: &line)
            try write(line)
        case .jsonl: objects = JSONLines(columns.names)
        }
    }

    /// Writes a result.
    mutating func add(_ values: [Value]) throws {
        line.removeAll(keepingCapacity: true)
        switch format {
        case .table:
            table?.add(values.map(\.shortCell))
            if table?.count == ResultWriter.blockSize { try end() }
        case .csv:
            csv.append(values, to: &line)
            try write(line)
        case .jsonl:
            objects.append(values, to: &line)
            try write(line)
        }
    }

    /// Writes what waits for the widths of all columns.
    mutating func end() throws { for text in table?.takeLines() ?? [] { try write(Array((text + "\n").utf8)) } }
}
