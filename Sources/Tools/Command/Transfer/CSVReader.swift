import StrataStoreTool

/// Reads records of comma-separated values one after the other, and holds one block of the file.
///
/// A quoted cell may contain ends of lines. A file may begin with a byte order mark, and end lines with CR LF.
struct CSVReader {
    /// What ends a cell.
    private enum Delimiter {
        case comma, lineEnd
    }

    private var bytes: ByteSource
    private var cell: [UInt8] = []
    /// The number of the line that the last record began in, from 1.
    private(set) var line = 0
    private var nextLine = 1
    /// The number of cells of the last record.
    private var width = 0

    init(_ bytes: ByteSource) { self.bytes = bytes }

    /// Returns the next record, `nil` cells where there is no value; `nil` at the end of the file.
    ///
    /// - Throws: `CommandFailure` where a quoted cell does not end, or is followed by a text, or the file cannot be read, or is no UTF-8.
    mutating func next() throws -> [String?]? {
        line = nextLine
        guard try bytes.peek() != nil else { return nil }
        if let cells = plainRecord() {
            nextLine += 1
            width = cells.count
            return cells
        }
        var cells: [String?] = []
        cells.reserveCapacity(width)
        while true {
            let (text, delimiter) = try nextCell()
            cells.append(text)
            if delimiter == .lineEnd {
                nextLine += 1
                width = cells.count
                return cells
            }
        }
    }

    /// Returns a record that has no quotes and that the block has whole, as most are; `nil` for another one.
    private mutating func plainRecord() -> [String?]? {
        let width = width
        return bytes.pass { bytes in
            var cells: [String?] = []
            cells.reserveCapacity(width)
            var (start, index) = (0, 0)
            // Most text is ASCII, which is valid.
            var union: UInt8 = 0
            while index < bytes.count {
                let byte = bytes[index]
                index += 1
                union |= byte
                if byte > UInt8(ascii: ",") { continue }
                if byte == UInt8(ascii: "\"") { return (nil, 0) }
                guard byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\n") else { continue }
                let isLast = byte == UInt8(ascii: "\n")
                let end = isLast && index - 1 > start && bytes[index - 2] == UInt8(ascii: "\r") ? index - 2 : index - 1
                let cell = UnsafeBufferPointer(rebasing: bytes[start..<end])
                if end == start {
                    cells.append(nil)
                } else if union < 0x80 {
                    cells.append(String(decoding: cell, as: UTF8.self))
                } else {
                    guard let text = String(validating: cell, as: UTF8.self) else { return (nil, 0) }
                    cells.append(text)
                }
                if isLast { return (cells, index) }
                (start, union) = (index, 0)
            }
            return (nil, 0)
        }
    }

    private mutating func nextCell() throws -> (String?, Delimiter) {
        if try bytes.peek() == UInt8(ascii: "\"") { return try quotedCell() }
        cell.removeAll(keepingCapacity: true)
        while true {
            let (run, stop) = try bytes.run { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\n") }
            guard stop != nil || run.isEmpty else {
                cell.append(contentsOf: run)
                continue
            }
            let delimiter: Delimiter = stop == UInt8(ascii: ",") ? .comma : .lineEnd
            if cell.isEmpty { return (try text(delimiter == .lineEnd && run.last == UInt8(ascii: "\r") ? run.dropLast() : run), delimiter) }
            cell.append(contentsOf: run)
            if delimiter == .lineEnd, cell.last == UInt8(ascii: "\r") { cell.removeLast() }
            return (try text(cell[...]), delimiter)
        }
    }

    private mutating func quotedCell() throws -> (String?, Delimiter) {
        cell.removeAll(keepingCapacity: true)
        _ = try bytes.next()
        while true {
            let (run, stop) = try bytes.run { $0 == UInt8(ascii: "\"") }
            cell.append(contentsOf: run)
            if stop == nil {
                if try bytes.peek() == nil { throw failure("a quoted cell does not end") }
                continue
            }
            if try bytes.peek() != UInt8(ascii: "\"") { break }
            cell.append(UInt8(ascii: "\""))
            _ = try bytes.next()
        }
        nextLine += cell.count { $0 == UInt8(ascii: "\n") }
        var end = try bytes.next()
        if end == UInt8(ascii: "\r"), try bytes.peek() == UInt8(ascii: "\n") { end = try bytes.next() }
        let content = try text(cell[...]) ?? ""
        switch end {
        case UInt8(ascii: ","): return (content, .comma)
        case UInt8(ascii: "\n"), nil: return (content, .lineEnd)
        default: throw failure("a quoted cell is followed by a text")
        }
    }

    private func text(_ cell: ArraySlice<UInt8>) throws -> String? {
        if cell.isEmpty { return nil }
        if cell.allSatisfy({ $0 < 0x80 }) { return String(decoding: cell, as: UTF8.self) }
        guard let text = String(validating: cell, as: UTF8.self) else { throw failure("the text is no UTF-8") }
        return text
    }

    private func failure(_ message: String) -> CommandFailure { CommandFailure(.data, "\(bytes.path):\(line): \(message)") }
}
