/// A statement under construction: keywords that are literals of the program, identifiers, numbers, and parameters.
///
/// A string that was made at run time is added as an identifier, as a literal or as a parameter. Only a statement that the database's own
/// catalogue keeps is taken as it is, see ``init(verbatim:)``.
public struct SQLText<Dialect: SQLDialect>: Sendable {
    @usableFromInline var storage = ""
    @usableFromInline var values: [Dialect.Binding] = []
    /// The ranges of the placeholders in the text, in bytes, where they are numbered.
    @usableFromInline var placeholders: [Range<Int>] = []

    /// The text with placeholders.
    @inlinable public var text: String { storage }
    /// The values of the parameters.
    @inlinable public var bindings: [Dialect.Binding] { values }

    /// A statement that begins with keywords.
    @inlinable public init(_ keywords: StaticString = "") { add(keywords) }

    /// An identifier by itself.
    @inlinable public init(identifier name: String) { add(identifier: name) }

    /// A statement without parameters that the database's catalogue keeps, or that another client runs.
    @inlinable public init(verbatim statement: String) { storage = statement }

    /// Adds keywords and punctuation.
    @inlinable public mutating func add(_ keywords: StaticString) {
        keywords.withUTF8Buffer { unsafe storage += String(decoding: $0, as: UTF8.self) }
    }

    /// Adds an identifier, in quotes where it needs them.
    @inlinable public mutating func add(identifier name: String) { Dialect.append(identifier: name, to: &storage) }

    /// Adds a column of one of the tables of a query, with the alias of the table: `t0.name`.
    @inlinable public mutating func add(column name: String, of alias: Int = 0) {
        add(alias: alias)
        storage += "."
        add(identifier: name)
    }

    /// Adds the alias of a table of a query: `t0`.
    @inlinable public mutating func add(alias: Int) {
        storage += "t"
        add(number: alias)
    }

    /// Adds a whole number.
    @inlinable public mutating func add(number: some BinaryInteger) { storage += String(number) }

    /// Adds a floating-point number.
    @inlinable public mutating func add(number: Double) { storage += String(number) }

    /// Adds a text where SQL takes no parameter.
    @inlinable public mutating func add(literal text: String) { Dialect.append(literal: text, to: &storage) }

    /// Adds the name of a table.
    @inlinable public mutating func add(table name: Dialect.TableName) { Dialect.add(name, to: &self) }

    /// Adds a parameter and the value that it is bound to.
    @inlinable public mutating func bind(_ value: Dialect.Binding) {
        values.append(value)
        let start = storage.utf8.count
        Dialect.append(placeholder: values.count, to: &storage)
        if Dialect.numbersPlaceholders { placeholders.append(start..<storage.utf8.count) }
    }

    /// Returns the statement with other values for its parameters.
    @inlinable public func binding(_ values: [Dialect.Binding]) -> SQLText {
        var sql = self
        sql.values = values
        return sql
    }

    /// Adds another statement's text and parameters.
    @_disfavoredOverload
    @inlinable public mutating func add(_ other: SQLText) {
        guard Dialect.numbersPlaceholders, !other.placeholders.isEmpty else {
            storage += other.storage
            values += other.values
            return
        }
        let utf8 = other.storage.utf8
        func piece(_ start: Int, _ end: Int) -> Substring {
            Substring(utf8[utf8.index(utf8.startIndex, offsetBy: start)..<utf8.index(utf8.startIndex, offsetBy: end)])
        }
        var start = 0
        for (value, placeholder) in zip(other.values, other.placeholders) {
            storage += piece(start, placeholder.lowerBound)
            bind(value)
            start = placeholder.upperBound
        }
        storage += piece(start, utf8.count)
    }

    /// Adds parts with a separator between them.
    @inlinable public mutating func add<T>(
        _ parts: some Sequence<T>, separator: StaticString, _ body: (inout SQLText, T) -> Void
    ) {
        var isFirst = true
        for part in parts {
            if !isFirst { add(separator) }
            isFirst = false
            body(&self, part)
        }
    }
}
