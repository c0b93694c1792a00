import FoundationEssentials
import Strata
import StrataStoreTool

/// A line of comma-separated values, as RFC 4180 has it, with ends of lines as on Unix.
///
/// No value is an empty cell; an empty text is one in quotes.
enum CSV {
    /// Appends the line of some names.
    static func append(names: [String], to line: inout [UInt8]) {
        for (index, name) in names.enumerated() {
            if index > 0 { line.append(UInt8(ascii: ",")) }
            append(name, to: &line)
        }
        line.append(UInt8(ascii: "\n"))
    }

    /// Appends the line of some values.
    static func append(_ values: [Value], to line: inout [UInt8]) {
        for (index, value) in values.enumerated() {
            if index > 0 { line.append(UInt8(ascii: ",")) }
            switch value {
            case .null: break
            case .string(let text): append(text, to: &line)
            case .int, .double, .bool, .date, .uuid: line.append(contentsOf: value.cell.utf8)
            default: append(value.cell, to: &line)
            }
        }
        line.append(UInt8(ascii: "\n"))
    }

    private static func append(_ cell: String, to line: inout [UInt8]) {
        let start = line.count
        line.append(contentsOf: cell.utf8)
        let needsQuotes = cell.isEmpty || line[start...].contains { $0 == 0x22 || $0 == 0x2C || $0 == 0x0A || $0 == 0x0D }
        guard needsQuotes else { return }
        line.removeSubrange(start...)
        line.append(UInt8(ascii: "\""))
        for byte in cell.utf8 {
            if byte == UInt8(ascii: "\"") { line.append(byte) }
            line.append(byte)
        }
        line.append(UInt8(ascii: "\""))
    }
}
