import FoundationEssentials
import StrataModel
import Testing

/// The bytes of values whose types are only `Codable`.
@Suite("The bytes of Codable values") struct CodableFormTests {
    private enum Mood: String, Codable { case calm, wild }

    private struct Note: Codable, Equatable {
        var text = ""
        var lines: [String?] = []
        var numbers: [Double] = []
        var price: Decimal?
    }

    private func text<T: Codable & Sendable>(_ value: T) throws -> String {
        String(decoding: try #require(try ValueTransformer.codable(T.self).data(from: value)), as: UTF8.self)
    }

    private func again<T: Codable & Sendable>(_ value: T) throws -> T {
        let transformer = ValueTransformer.codable(T.self)
        let data = try #require(try transformer.data(from: value))
        return try #require(try transformer.value(from: data) as? T)
    }

    private func propertyList<T: Encodable>(_ value: T) throws -> Data {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        return try encoder.encode([value])
    }

    @Test("A value is JSON with sorted keys") func form() throws {
        #expect(try text(["b": 1, "a": 2]) == #"{"a":2,"b":1}"#)
        #expect(try text(Note(text: "$null", lines: [nil, "$null"])) == #"{"lines":[null,"$null"],"numbers":[],"text":"$null"}"#)
    }

    @Test("Texts keep their scalars", arguments: ["$null", "\u{0}", "\u{FFFF}NaN", "NaN", "", "e\u{301}", "\u{212A}"])
    func texts(_ text: String) throws {
        let found = try again(Note(text: text, lines: [nil, text, "\u{E9}", "K"]))
        #expect(Array(found.text.unicodeScalars) == Array(text.unicodeScalars))
        #expect(
            found.lines.map { $0.map { Array($0.unicodeScalars) } }
                == [nil, text, "\u{E9}", "K"].map { $0.map { Array($0.unicodeScalars) } })
    }

    @Test("Infinities, NaN, the negative zero and decimal numbers come back") func numbers() throws {
        let numbers = try again(Note(numbers: [.infinity, -.infinity, -0.0, .nan, .leastNonzeroMagnitude])).numbers
        #expect(numbers.dropLast(2).map(\.bitPattern) == [Double.infinity, -.infinity, -0.0].map(\.bitPattern))
        #expect(numbers[3].isNaN)
        #expect(numbers[4] == .leastNonzeroMagnitude)
        #expect(try again(Note(text: "[NaN", price: .nan)).price?.isNaN == true)
        #expect(try again(Note(text: "[NaN", price: 1)) == Note(text: "[NaN", price: 1))
        #expect(try text(Note(text: "[NaN")).hasPrefix("{"))
    }

    @Test("Property lists of earlier versions are read") func earlier() throws {
        let note = Note(text: "a", lines: ["b", nil], numbers: [1.5], price: 2.5)
        #expect(try ValueTransformer.codable(Note.self).value(from: propertyList(note)) as? Note == note)
        #expect(try ValueTransformer.json(Note.self).value(from: propertyList(note)) as? Note == note)
        #expect(try ValueTransformer.swiftData([String].self).value(from: propertyList(["a"])) as? [String] == ["a"])
    }

    @Test("The stored forms are JSON, the property list of earlier versions, and the keyed archive of a list") func forms() throws {
        #expect(try ValueTransformer.storedForms(of: Note(text: "a")).count == 2)
        let forms = try ValueTransformer.storedForms(of: ["a"])
        #expect(forms == [Data(#"["a"]"#.utf8), try propertyList(["a"]), try ValueTransformer.swiftData([String].self).data(from: ["a"])])
    }

    /// A number of 128 bits, which no property list has.
    private struct Wide: Codable, Equatable {
        var number: Int128 = 1
    }

    @Test("A value that no property list has is stored as JSON alone") func withoutPropertyList() throws {
        #expect(try ValueTransformer.storedForms(of: Wide()) == [Data(#"{"number":1}"#.utf8)])
    }

    private struct Tree: Codable, Equatable {
        var children: [Tree] = []
        init(_ children: [Tree] = []) { self.children = children }
        init(from decoder: any Decoder) throws { children = try decoder.singleValueContainer().decode([Tree].self) }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(children)
        }
    }

    /// Foundation's decoder recursed until the process ended.
    @Test("A property list that contains itself, or is nested too deep, is damaged") func cyclic() throws {
        let loop =
            Array("bplist00".utf8) + [0xA1, 0, 8] + [0, 0, 0, 0, 0, 0, 1, 1] + [0, 0, 0, 0, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 15)
        let transformer = ValueTransformer.codable(Tree.self)
        #expect(throws: DamagedPropertyList.self) { try transformer.value(from: Data(loop + [10])) }
        func list(_ depth: Int) throws -> Data { try propertyList((1..<depth).reduce(Tree()) { tree, _ in Tree([tree]) }) }
        #expect(try transformer.value(from: list(400)) is Tree)
        #expect(throws: DamagedPropertyList.self) { try transformer.value(from: list(600)) }
    }

    /// A value that is read as a number where it can be.
    private enum Cell: Codable, Equatable {
        case number(Double)
        case text(String)
        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            self = try (try? container.decode(Double.self)).map { .number($0) } ?? .text(container.decode(String.self))
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .number(let number): try container.encode(number)
            case .text(let text): try container.encode(text)
            }
        }
    }

    /// The text was read as the number whose form in JSON it is.
    @Test("A text that is the form of a number stays a text", arguments: ["Infinity", "-Infinity", "NaN"])
    func numberTexts(_ name: String) throws {
        let cells = [Cell.text("\u{FFFF}" + name), .number(.infinity), .text("a"), .number(1)]
        #expect(try again(cells) == cells)
        #expect(try text([Cell.number(.infinity)]) == "[\"\u{FFFF}Infinity\"]")
        #expect(try again([Note(text: "\u{FFFF}" + name, lines: ["$null"])]) == [Note(text: "\u{FFFF}" + name, lines: ["$null"])])
    }

    @Test("A list keeps a text that keyed archives have as their mark of nil") func lists() throws {
        let transformer = ValueTransformer.swiftData([String].self)
        let bytes = try #require(try transformer.data(from: ["a", "$null", "e\u{301}", "\u{E9}"]))
        let found = try #require(try transformer.value(from: bytes) as? [String])
        #expect(found.map { Array($0.utf8) } == ["a", "$null", "e\u{301}", "\u{E9}"].map { Array($0.utf8) })
    }

    @Test("Damaged bytes are errors", arguments: ["", "{", "bplist00", "null", "[1]", "\u{FFFF}"])
    func damaged(_ text: String) {
        #expect(throws: (any Error).self) { try ValueTransformer.codable(Note.self).value(from: Data(text.utf8)) }
    }

    @Test("A value that is nested too deep is refused") func deep() {
        struct Node: Codable {
            var members: [Node] = []
        }
        let node = (0..<600).reduce(Node()) { node, _ in Node(members: [node]) }
        #expect(throws: (any Error).self) { try ValueTransformer.codable(Node.self).data(from: node) }
    }
}
