import FoundationEssentials
import StrataValueText

/// A value of the JSON of fixtures, with its line.
struct FixtureNode {
    enum Content {
        case scalar(JSON)
        case array([FixtureNode])
        case object([(name: String, value: FixtureNode)])
    }

    let line: Int
    let content: Content

    var json: JSON {
        switch content {
        case .scalar(let value): value
        case .array(let elements): .array(elements.map(\.json))
        case .object(let members): .object(Dictionary(members.map { ($0.name, $0.value.json) }) { first, _ in first })
        }
    }
}

/// Reads JSON with the lines of its values: Foundation's decoder has none, and drops members whose name was there before.
struct FixtureParser {
    private static let greatestDepth = 64

    private let bytes: [UInt8]
    private let name: String
    private var position = 0
    private var line = 1
    private var depth = 0

    /// - Parameter name: The name of the text in errors.
    init(_ bytes: Data, _ name: String) {
        self.bytes = Array(bytes)
        self.name = name
    }

    /// - Throws: ``FixtureError`` with the line where the text is malformed, or names a member twice.
    mutating func parse() throws(FixtureError) -> FixtureNode {
        let node = try value()
        guard next() == nil else { throw malformed() }
        return node
    }

    private mutating func value() throws(FixtureError) -> FixtureNode {
        depth += 1
        defer { depth -= 1 }
        guard let first = next(), depth <= FixtureParser.greatestDepth else { throw malformed() }
        let line = line
        switch first {
        case UInt8(ascii: "{"): return FixtureNode(line: line, content: .object(try members()))
        case UInt8(ascii: "["): return FixtureNode(line: line, content: .array(try elements()))
        default: return FixtureNode(line: line, content: .scalar(try scalar()))
        }
    }

    private mutating func elements() throws(FixtureError) -> [FixtureNode] {
        position += 1
        if pass("]") { return [] }
        var elements = [try value()]
        while pass(",") { elements.append(try value()) }
        guard pass("]") else { throw malformed() }
        return elements
    }

    private mutating func members() throws(FixtureError) -> [(name: String, value: FixtureNode)] {
        position += 1
        if pass("}") { return [] }
        var members: [(name: String, value: FixtureNode)] = []
        var names: Set<String> = []
        repeat {
            guard next() == UInt8(ascii: "\""), case .string(let name) = try scalar() else { throw malformed() }
            guard names.insert(name).inserted else { throw error("\(name) is there twice") }
            guard pass(":") else { throw malformed() }
            members.append((name, try value()))
        } while pass(",")
        guard pass("}") else { throw malformed() }
        return members
    }

    /// Reads a text, a number, a truth or null, which Foundation decodes.
    private mutating func scalar() throws(FixtureError) -> JSON {
        let start = position
        if bytes[position] == UInt8(ascii: "\"") {
            repeat {
                position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
            } while position < bytes.count && bytes[position] != UInt8(ascii: "\"")
            position += 1
        } else {
            while position < bytes.count, !",:]}[{\" \t\r\n".utf8.contains(bytes[position]) { position += 1 }
        }
        guard position <= bytes.count, let json = try? JSONDecoder().decode(JSON.self, from: Data(bytes[start..<position])) else {
            position = start
            throw malformed()
        }
        return json
    }

    /// Passes white space, and returns the next byte; `nil` at the end.
    private mutating func next() -> UInt8? {
        while position < bytes.count, " \t\r\n".utf8.contains(bytes[position]) {
            if bytes[position] == UInt8(ascii: "\n") { line += 1 }
            position += 1
        }
        return position < bytes.count ? bytes[position] : nil
    }

    private mutating func pass(_ character: Unicode.Scalar) -> Bool {
        guard next() == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private func malformed() -> FixtureError {
        let start = bytes[..<min(position, bytes.count)].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        return error("malformed JSON, column \(min(position, bytes.count) - start + 1)")
    }

    private func error(_ text: String) -> FixtureError { FixtureError("\(name), line \(line): \(text)") }
}
