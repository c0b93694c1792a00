import FoundationEssentials
import Strata
import StrataStoreTool

/// A line of comma-separated values, as RFC 4180 has it, with ends of lines as on Unix.
///
/// No value is an empty cell; an empty text is one in quotes.
struct CSV {
    /// The beginning of the URIs of the last object's entity: most objects of a result are of one.
    private var last: (entity: String, store: StoreID?, prefix: [UInt8])?

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

    /// Appends a URI, which ends with the reference and has no character that needs quotes.
    private mutating func append(_ id: ObjectID, to line: inout [UInt8]) {
        let reference = String(id.reference)
        if let last, last.entity == id.entity.name, last.store == id.storeID {
            line.append(contentsOf: last.prefix)
            return line.append(contentsOf: reference.utf8)
        }
        let uri = id.uriRepresentation
        append(uri, to: &line)
        guard uri.hasSuffix("p" + reference), !uri.utf8.contains(UInt8(ascii: ",")) else { return }
        last = (id.entity.name, id.storeID, Array(uri.utf8.dropLast(reference.utf8.count)))
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
