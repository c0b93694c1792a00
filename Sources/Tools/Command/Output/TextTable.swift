/// A table in lines of text, with columns as wide as their contents.
struct TextTable {
    private var rows: [[String]]
    private let alignsRight: [Bool]
    private var widths: [Int]
    /// Whether the rows begin with the names and the line below.
    private var hasHead = true

    /// Creates a table with the names of its columns, and which of them are numbers.
    init(_ names: [String], numbers: Set<Int> = []) {
        let names = names.map { $0.escaped() }
        rows = [names, names.map { String(repeating: "-", count: TextTable.width($0)) }]
        alignsRight = names.indices.map(numbers.contains)
        widths = names.map(TextTable.width)
    }

    /// The number of rows that wait, without the names.
    var count: Int { rows.count - (hasHead ? 2 : 0) }

    /// Adds a row; the ends of lines within a cell, and what a terminal would take for a command, are shown as escapes.
    mutating func add(_ cells: [String]) {
        let cells = cells.map { $0.escaped() }
        for (column, cell) in cells.enumerated() { widths[column] = max(widths[column], TextTable.width(cell)) }
        rows.append(cells)
    }

    /// Returns the lines of the rows that wait, without spaces at their ends; rows to come are aligned with them.
    mutating func takeLines() -> [String] {
        defer { (rows, hasHead) = ([], false) }
        return lines
    }

    /// The lines, without spaces at their ends.
    var lines: [String] {
        rows.enumerated().map { index, row in
            let fill: Character = hasHead && index == 1 ? "-" : " "
            var line = ""
            for column in row.indices {
                let padding = String(repeating: fill, count: widths[column] - TextTable.width(row[column]))
                line += (column > 0 ? "  " : "") + (alignsRight[column] ? padding + row[column] : row[column] + padding)
            }
            while line.utf8.last == UInt8(ascii: " ") { line.unicodeScalars.removeLast() }
            return line
        }
    }

    private static func width(_ text: String) -> Int { text.count }
}
