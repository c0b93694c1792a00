/// A table in lines of text, with columns as wide as their contents.
struct TextTable {
    private var rows: [[String]]
    private let alignsRight: [Bool]

    /// Creates a table with the names of its columns, and which of them are numbers.
    init(_ names: [String], numbers: Set<Int> = []) {
        rows = [names, names.map { String(repeating: "-", count: TextTable.width($0)) }]
        alignsRight = names.indices.map(numbers.contains)
    }

    /// Adds a row; the ends of lines within a cell, and what a terminal would take for a command, are shown as escapes.
    mutating func add(_ cells: [String]) { rows.append(cells.map(TextTable.escaped)) }

    /// The lines, without spaces at their ends.
    var lines: [String] {
        let widths = alignsRight.indices.map { column in rows.map { TextTable.width($0[column]) }.max() ?? 0 }
        return rows.enumerated().map { index, row in
            let cells = row.indices.map { column in
                let fill = String(repeating: index == 1 ? "-" : " ", count: widths[column] - TextTable.width(row[column]))
                return alignsRight[column] ? fill + row[column] : row[column] + fill
            }
            return String(cells.joined(separator: "  ").reversed().drop { $0 == " " }.reversed())
        }
    }

    private static func width(_ text: String) -> Int { text.count }

    private static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { $0.value < 0x20 || (0x7F..<0xA0).contains($0.value) }) else { return text }
        return text.unicodeScalars.map { $0.value < 0x20 || (0x7F..<0xA0).contains($0.value) ? $0.escaped(asASCII: true) : String($0) }
            .joined()
    }
}
