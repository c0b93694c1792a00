import FoundationEssentials
import StrataStoreTool

/// A row of a file to import: its line, and its values by the names of the file.
struct ImportRow {
    /// The values as the file has them.
    enum Values {
        case texts([String?])
        case json([JSON])
        /// The row is malformed, for a reason; its text, or its cells.
        case malformed(String, JSON)
    }

    let line: Int
    let names: [String]
    let values: Values

    /// The row as JSON: an object, or what a malformed row has.
    var json: JSON {
        switch values {
        case .texts(let texts): object(texts.map { JSON($0) })
        case .json(let values): object(values)
        case .malformed(_, let row): row
        }
    }

    private func object(_ values: [JSON]) -> JSON { .object(Dictionary(zip(names, values)) { first, _ in first }) }
}

/// The rows of a file of CSV or JSON Lines, one after the other.
struct ImportSource {
    /// The names of the columns; `nil` where each row has its own.
    let names: [String]?
    private let path: String
    private var records: CSVReader?
    private var lines: ByteSource?
    private var line = 0

    /// Opens a file.
    ///
    /// - Throws: `CommandFailure` where it cannot be read, or its line of names is missing or names a column twice.
    init(path: String, isCSV: Bool) throws {
        self.path = path
        let bytes = try ByteSource(path: path)
        guard isCSV else {
            names = nil
            lines = bytes
            return
        }
        var reader = CSVReader(bytes)
        let header = try reader.next()?.map { $0 ?? "" } ?? []
        guard !header.isEmpty, !header.contains(""), Set(header).count == header.count else {
            throw CommandFailure(.data, "\(path):1: the first line has to name each column, once")
        }
        names = header
        records = reader
    }

    /// Returns the next row, which may be malformed; `nil` at the end.
    ///
    /// - Throws: `CommandFailure` where the file cannot be read, or it is not known where the next row begins.
    mutating func next() throws -> ImportRow? {
        if let names {
            guard let cells = try records?.next(), let line = records?.line else { return nil }
            guard cells.count == names.count else {
                return malformed(line, "there are \(cells.count) cells, and \(names.count) columns", .array(cells.map { JSON($0) }))
            }
            return ImportRow(line: line, names: names, values: .texts(cells))
        }
        while let bytes = try lines?.nextLine() {
            line += 1
            if bytes.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }) { continue }
            guard let json = try? JSONDecoder().decode(JSON.self, from: Data(bytes)), case .object(let values) = json else {
                return malformed(line, "the line is no object of JSON", .string(String(decoding: bytes, as: UTF8.self)))
            }
            guard ImportSource.memberCount(of: bytes) == values.count else {
                return malformed(line, "the object has a member twice", .string(String(decoding: bytes, as: UTF8.self)))
            }
            return ImportRow(line: line, names: Array(values.keys), values: .json(Array(values.values)))
        }
        return nil
    }

    private func malformed(_ line: Int, _ reason: String, _ row: JSON) -> ImportRow {
        ImportRow(line: line, names: [], values: .malformed(reason, row))
    }

    /// Returns the number of members of an object, the outermost one: a decoder takes one of those with the same name.
    private static func memberCount(of object: [UInt8]) -> Int {
        var (count, depth) = (0, 0)
        var (isText, isEscape) = (false, false)
        for byte in object {
            if isText {
                isText = byte != UInt8(ascii: "\"") || isEscape
                isEscape = byte == UInt8(ascii: "\\") && !isEscape
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isText = true
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ":") where depth == 1: count += 1
            default: break
            }
        }
        return count
    }
}
