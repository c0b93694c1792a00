import FoundationEssentials
import StrataStoreTool

/// A line of comma-separated values, as RFC 4180 has it, with ends of lines as on Unix.
///
/// No value is an empty cell; an empty text is one in quotes.
enum CSV {
    /// Returns the line of some cells, `nil` where there is no value.
    static func line(_ cells: some Sequence<String?>) -> String {
        cells.map { cell in
            guard let cell else { return "" }
            let needsQuotes = cell.isEmpty || cell.utf8.contains { $0 == 0x22 || $0 == 0x2C || $0 == 0x0A || $0 == 0x0D }
            return needsQuotes ? "\"\(cell.replacing("\"", with: "\"\""))\"" : cell
        }.joined(separator: ",")
    }
}

/// Reads records of comma-separated values one after the other, and holds one block of the file.
///
/// A quoted cell may contain ends of lines. A file may begin with a byte order mark, and end lines with CR LF.
struct CSVReader {
    private var bytes: ByteSource
    /// The number of the line that the last record began in, from 1.
    private(set) var line = 0
    private var nextLine = 1

    init(_ bytes: ByteSource) { self.bytes = bytes }

    /// Returns the next record, `nil` cells where there is no value; `nil` at the end of the file.
    ///
    /// - Throws: `CommandFailure` where a quoted cell does not end, or the file cannot be read, or is no UTF-8.
    mutating func next() throws -> [String?]? {
        line = nextLine
        var cells: [String?] = []
        var cell: [UInt8] = []
        var wasQuoted = false
        guard try bytes.peek() != nil else { return nil }
        while true {
            let byte = try bytes.next()
            switch byte {
            case UInt8(ascii: "\""):
                if cell.isEmpty, !wasQuoted {
                    wasQuoted = true
                    try quoted(into: &cell)
                } else {
                    cell.append(UInt8(ascii: "\""))
                }
            case UInt8(ascii: ","):
                cells.append(try text(&cell, &wasQuoted))
            case UInt8(ascii: "\r") where try bytes.peek() == UInt8(ascii: "\n"): continue
            case UInt8(ascii: "\n"), nil:
                nextLine += 1
                cells.append(try text(&cell, &wasQuoted))
                return cells
            case .some(let byte): cell.append(byte)
            }
        }
    }

    private mutating func quoted(into cell: inout [UInt8]) throws {
        while let byte = try bytes.next() {
            if byte == UInt8(ascii: "\n") { nextLine += 1 }
            guard byte == UInt8(ascii: "\"") else {
                cell.append(byte)
                continue
            }
            guard try bytes.peek() == byte else { return }
            _ = try bytes.next()
            cell.append(byte)
        }
        throw CommandFailure(.data, "\(bytes.path):\(line): a quoted cell does not end")
    }

    private func text(_ cell: inout [UInt8], _ wasQuoted: inout Bool) throws -> String? {
        defer {
            cell.removeAll(keepingCapacity: true)
            wasQuoted = false
        }
        if cell.isEmpty { return wasQuoted ? "" : nil }
        guard let text = String(validating: cell, as: UTF8.self) else {
            throw CommandFailure(.data, "\(bytes.path):\(line): the text is no UTF-8")
        }
        return text
    }
}
