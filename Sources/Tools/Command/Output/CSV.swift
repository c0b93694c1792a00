import FoundationEssentials
import Strata
import StrataStoreTool

/// A line of comma-separated values, as RFC 4180 has it, with ends of lines as on Unix.
///
/// No value is an empty cell; an empty text is one in quotes.
struct CSV {
    private var uris = ObjectURIs()

    /// Appends the line of some names.
    func append(names: [String], to line: inout [UInt8]) {
        for (index, name) in names.enumerated() {
            if index > 0 { line.append(UInt8(ascii: ",")) }
            append(name, to: &line)
        }
        line.append(UInt8(ascii: "\n"))
    }

    /// Appends the line of some values.
    mutating func append(_ values: [Value], to line: inout [UInt8]) {
        for (index, value) in values.enumerated() {
            if index > 0 { line.append(UInt8(ascii: ",")) }
            switch value {
            case .null: break
            case .string(let text): append(text, to: &line)
            case .int(let number): line.append(contentsOf: String(number).utf8)
            case .bool(let truth): line.append(contentsOf: (truth ? "true" : "false").utf8)
            case .double, .date, .uuid: line.append(contentsOf: value.cell.utf8)
            case .objectID(let id): append(id, to: &line)
            default: append(value.cell, to: &line)
            }
        }
        line.append(UInt8(ascii: "\n"))
    }

    private mutating func append(_ id: ObjectID, to line: inout [UInt8]) {
        guard let prefix = uris.prefix(of: id) else { return append(id.uriRepresentation, to: &line) }
        line.append(contentsOf: prefix)
        line.append(contentsOf: String(id.reference).utf8)
    }

    private func append(_ cell: String, to line: inout [UInt8]) {
        var cell = cell
        cell.withUTF8 { bytes in
            let needsQuotes = bytes.isEmpty || bytes.contains { $0 == 0x22 || $0 == 0x2C || $0 == 0x0A || $0 == 0x0D }
            guard needsQuotes else { return line.append(contentsOf: bytes) }
            line.append(UInt8(ascii: "\""))
            for byte in bytes {
                if byte == UInt8(ascii: "\"") { line.append(byte) }
                line.append(byte)
            }
            line.append(UInt8(ascii: "\""))
        }
    }
}
