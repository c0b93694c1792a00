/// The value of a statement's parameter, in the server's binary format.
struct SQLParameter: Sendable, Hashable {
    /// The number of the type.
    let oid: UInt32
    /// `nil` for null.
    let bytes: [UInt8]?

    init(oid: UInt32, bytes: [UInt8]?) {
        self.oid = oid
        self.bytes = bytes
    }

    private init(_ type: ColumnType, _ number: some FixedWidthInteger) {
        var buffer = BinaryBuffer()
        buffer.put(number)
        self.init(oid: type.oid, bytes: buffer.bytes)
    }

    static func bigint(_ number: Int64) -> SQLParameter { SQLParameter(.bigint, number) }
    static func integer(_ number: Int) -> SQLParameter { SQLParameter(.integer, Int32(truncatingIfNeeded: number)) }
    static func double(_ number: Double) -> SQLParameter { SQLParameter(.double, number.bitPattern) }
    static func boolean(_ flag: Bool) -> SQLParameter { SQLParameter(.boolean, UInt8(flag ? 1 : 0)) }
    static func text(_ text: String) -> SQLParameter { SQLParameter(oid: ColumnType.text.oid, bytes: Array(text.utf8)) }
    /// A text without what no text of the server's holds.
    static func text(storable text: String) -> SQLParameter {
        SQLParameter(oid: ColumnType.text.oid, bytes: text.utf8.filter { $0 != 0 })
    }
    static func bytea(_ bytes: [UInt8]) -> SQLParameter { SQLParameter(oid: ColumnType.bytea.oid, bytes: bytes) }
}

/// A statement under construction: keywords that are literals of this program, identifiers, whole numbers, and parameters.
///
/// There is no way to add a string that was made at run time other than as an identifier or as a parameter.
struct SQLText {
    /// What stands before each parameter, and behind the last one.
    private var texts = [""]
    private var parameters: [SQLParameter] = []

    init(_ keywords: StaticString = "") { add(keywords) }

    /// A statement of another client's: for tests, that play one.
    init(foreign statement: String) { append(statement) }

    /// Adds keywords and punctuation.
    mutating func add(_ keywords: StaticString) {
        keywords.withUTF8Buffer { unsafe append(String(decoding: $0, as: UTF8.self)) }
    }

    /// Adds a name in quotes.
    mutating func add(identifier name: String) {
        append("\"")
        if name.utf8.contains(where: { $0 == UInt8(ascii: "\"") || $0 == 0 }) {
            append(name.replacing("\0", with: "").replacing("\"", with: "\"\""))
        } else {
            append(name)
        }
        append("\"")
    }

    /// Adds the name of a relation with that of its schema: what a session searches is not asked.
    mutating func add(_ name: QualifiedName) {
        add(identifier: name.schema)
        add(".")
        add(identifier: name.name)
    }

    /// Adds a column of one of the tables of a query: `t0."name"`.
    mutating func add(column name: String, of alias: Int = 0) {
        append("t\(alias).")
        add(identifier: name)
    }

    /// Adds a whole number.
    mutating func add(number: some BinaryInteger) { append("\(number)") }

    /// Adds a text where SQL takes no parameter.
    mutating func add(quoted text: String) {
        append(" E'")
        if text.utf8.contains(where: { $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "'") || $0 == 0 }) {
            append(text.replacing("\\", with: "\\\\").replacing("'", with: "''").replacing("\0", with: ""))
        } else {
            append(text)
        }
        append("'")
    }

    /// Adds a name in quotes as a text, where a function takes the name of a relation.
    mutating func add(relation name: QualifiedName) {
        var quoted = SQLText()
        quoted.add(name)
        append("'" + quoted.rendered.text.replacing("'", with: "''") + "'")
    }

    /// Adds a parameter.
    mutating func bind(_ parameter: SQLParameter) {
        parameters.append(parameter)
        texts.append("")
    }

    /// Adds another statement's text and parameters.
    mutating func add(_ other: SQLText) {
        append(other.texts[0])
        texts += other.texts.dropFirst()
        parameters += other.parameters
    }

    /// Adds parts with a separator between them.
    mutating func add<T>(_ parts: some Sequence<T>, separator: StaticString, _ body: (inout SQLText, T) -> Void) {
        var isFirst = true
        for part in parts {
            if !isFirst { add(separator) }
            isFirst = false
            body(&self, part)
        }
    }

    private mutating func append(_ text: String) { texts[texts.count - 1] += text }

    /// The text with numbered placeholders, and what they stand for.
    var rendered: (text: String, parameters: [SQLParameter]) {
        var text = texts[0]
        for (place, part) in texts.dropFirst().enumerated() { text += "$\(place + 1)\(part)" }
        return (text, parameters)
    }
}

/// The name of a table, an index or a sequence, with that of its schema.
struct QualifiedName: Sendable, Hashable {
    let schema: String
    let name: String
}
