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
    /// The text with numbered placeholders.
    private(set) var text = ""
    /// What the placeholders stand for.
    private(set) var parameters: [SQLParameter] = []
    /// Where in the text placeholders begin and end, in bytes.
    private var placeholders: [Range<Int>] = []

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
        append("'" + quoted.text.replacing("'", with: "''") + "'")
    }

    /// Adds a parameter.
    mutating func bind(_ parameter: SQLParameter) {
        parameters.append(parameter)
        let start = text.utf8.count
        append("$\(parameters.count)")
        placeholders.append(start..<text.utf8.count)
    }

    /// The statement with other values for its parameters.
    func binding(_ parameters: [SQLParameter]) -> SQLText {
        var sql = self
        sql.parameters = parameters
        return sql
    }

    /// Adds another statement's text and parameters.
    mutating func add(_ other: SQLText) {
        let utf8 = other.text.utf8
        func piece(_ start: Int, _ end: Int) -> Substring {
            Substring(utf8[utf8.index(utf8.startIndex, offsetBy: start)..<utf8.index(utf8.startIndex, offsetBy: end)])
        }
        var start = 0
        for (parameter, placeholder) in zip(other.parameters, other.placeholders) {
            append(piece(start, placeholder.lowerBound))
            bind(parameter)
            start = placeholder.upperBound
        }
        append(piece(start, utf8.count))
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

    private mutating func append(_ text: some StringProtocol) { self.text.append(contentsOf: text) }
}

/// The name of a table, an index or a sequence, with that of its schema.
struct QualifiedName: Sendable, Hashable {
    let schema: String
    let name: String
}
