import FoundationEssentials
import StrataStoreTool

/// A row of a file to import: its line, and its values by the names of the file.
struct ImportRow {
    /// The values as the file has them.
    enum Values {
        case texts([String?])
        case json([JSON])
    }

    let line: Int
    let names: [String]
    let values: Values

    /// The row as an object of JSON.
    var json: JSON {
        let values =
            switch values {
            case .texts(let texts): texts.map { JSON($0) }
            case .json(let values): values
            }
        return .object(Dictionary(zip(names, values)) { first, _ in first })
    }
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

    /// Returns the next row; `nil` at the end.
    ///
    /// - Throws: `CommandFailure` where the file is malformed.
    mutating func next() throws -> ImportRow? {
        if let names {
            guard let cells = try records?.next(), let line = records?.line else { return nil }
            guard cells.count == names.count else {
                throw CommandFailure(.data, "\(path):\(line): there are \(cells.count) cells, and \(names.count) columns")
            }
            return ImportRow(line: line, names: names, values: .texts(cells))
        }
        while let bytes = try lines?.nextLine() {
            line += 1
            if bytes.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }) { continue }
            guard let json = try? JSONDecoder().decode(JSON.self, from: Data(bytes)), case .object(let values) = json else {
                throw CommandFailure(.data, "\(path):\(line): the line is no object of JSON")
            }
            guard ImportSource.memberCount(of: bytes) == values.count else {
                throw CommandFailure(.data, "\(path):\(line): the object has a member twice")
            }
            return ImportRow(line: line, names: Array(values.keys), values: .json(Array(values.values)))
        }
        return nil
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
