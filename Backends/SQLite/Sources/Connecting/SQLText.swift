/// A value of a statement's parameter.
enum SQLBinding: Hashable {
    case null
    case integer(Int64)
    case double(Double)
    case text(String)
    /// Text by its bytes, which need not be valid UTF-8: the end of a range of texts.
    case textBytes([UInt8])
    case blob([UInt8])
    /// Several values at once, for a function of this program's.
    case set(BindingSet)
}

/// A statement under construction: keywords that are literals of this program, identifiers, whole numbers, and parameters.
///
/// There is no way to add a string that was made at run time other than as an identifier or as a parameter; a statement that SQLite keeps in
/// the catalogue may be run again whole.
struct SQLText {
    private(set) var text = ""
    private(set) var bindings: [SQLBinding] = []

    init(_ keywords: StaticString = "") { add(keywords) }

    /// A name by itself.
    init(identifier name: String) { add(identifier: name) }

    /// A statement that the database's own catalogue holds, to be run again as it is.
    init(kept sql: String) { text = sql }

    /// Adds keywords and punctuation.
    mutating func add(_ keywords: StaticString) {
        keywords.withUTF8Buffer { unsafe text += String(decoding: $0, as: UTF8.self) }
    }

    /// Adds a name, in quotes where it is not plain.
    mutating func add(identifier name: String) {
        if SQLText.isPlain(name) {
            text += name
        } else {
            text += "\""
            for scalar in name.unicodeScalars {
                if scalar == "\"" { text += "\"" }
                text.unicodeScalars.append(scalar)
            }
            text += "\""
        }
    }

    /// Adds a name of one of the tables of a query: `t0.NAME`.
    mutating func add(column name: String, of alias: Int) {
        add(alias: alias)
        text += "."
        add(identifier: name)
    }

    /// Adds the name that a table has within a query.
    mutating func add(alias: Int) {
        text += "t"
        text += String(alias)
    }

    /// Adds a whole number.
    mutating func add(number: Int) { text += String(number) }

    /// Adds a `?` and the value that it stands for.
    mutating func bind(_ value: SQLBinding) {
        text += "?"
        bindings.append(value)
    }

    /// Adds the default of a column, where SQL takes no parameter: a number, or a text without a NUL.
    mutating func add(default value: SQLBinding) {
        add(" DEFAULT ")
        add(literal: value)
    }

    /// Adds a value where SQL takes no parameter: a number, or a text without a NUL.
    mutating func add(literal value: SQLBinding) {
        switch value {
        case .integer(let number): text += String(number)
        case .double(let number): text += String(number)
        case .text(let string): text += "'" + string.replacing("'", with: "''") + "'"
        default: add("NULL")
        }
    }

    /// Adds another statement's text and parameters.
    mutating func add(_ other: SQLText) {
        text += other.text
        bindings += other.bindings
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

    /// Whether a name needs no quotes.
    ///
    /// No keyword of SQL begins with the letter that all plain names here begin with.
    private static func isPlain(_ name: String) -> Bool {
        guard let first = name.utf8.first, first == UInt8(ascii: "Z") || reserved.contains(name) else { return false }
        return name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "_"):
                true
            default: false
            }
        }
    }

    private static let reserved: Set<String> = ["REFLEXIVE"]
}

/// A condition that is null for null, as it is or negated; null counts as false.
func settled(_ condition: SQLText, _ negated: Bool) -> SQLText {
    guard negated else { return condition }
    var sql = SQLText("NOT IFNULL(")
    sql.add(condition)
    sql.add(", 0)")
    return sql
}
