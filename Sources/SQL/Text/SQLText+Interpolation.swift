extension SQLText: ExpressibleByStringInterpolation {
    /// A statement of keywords.
    @inlinable public init(stringLiteral keywords: StaticString) { self.init(keywords) }

    /// A statement with the interpolated names, numbers and parameters.
    @inlinable public init(stringInterpolation: StringInterpolation) { self = stringInterpolation.sql }

    /// A statement made of keywords, which are literals of the program, and of what is interpolated:
    /// `"SELECT \(column: name) FROM \(table: table) t0 WHERE \(column: key) = \(bind: value)"`.
    public struct StringInterpolation: StringInterpolationProtocol {
        /// The statement so far.
        public var sql = SQLText()

        @inlinable public init(literalCapacity: Int, interpolationCount: Int) {
            sql.storage.reserveCapacity(literalCapacity + 16 * interpolationCount)
        }

        @inlinable public mutating func appendLiteral(_ keywords: StaticString) { sql.add(keywords) }

        /// Adds keywords and punctuation.
        @inlinable public mutating func appendInterpolation(_ keywords: StaticString) { sql.add(keywords) }

        /// Adds another statement's text and parameters.
        @_disfavoredOverload
        @inlinable public mutating func appendInterpolation(_ other: SQLText) { sql.add(other) }

        /// Adds parts with a separator between them.
        @inlinable public mutating func appendInterpolation(_ parts: some Sequence<SQLText>, separator: StaticString = ", ") {
            sql.add(parts, separator: separator) { $0.add($1) }
        }

        /// Adds an identifier, in quotes where it needs them.
        @inlinable public mutating func appendInterpolation(identifier name: String) { sql.add(identifier: name) }

        /// Adds identifiers with commas between them.
        @inlinable public mutating func appendInterpolation(identifiers names: some Sequence<String>) {
            sql.add(names, separator: ", ") { $0.add(identifier: $1) }
        }

        /// Adds a column of one of the tables of a query, with the alias of the table: `t0.name`.
        @inlinable public mutating func appendInterpolation(column name: String, of alias: Int = 0) { sql.add(column: name, of: alias) }

        /// Adds columns of one of the tables of a query with commas between them.
        @inlinable public mutating func appendInterpolation(columns names: some Sequence<String>, of alias: Int = 0) {
            sql.add(names, separator: ", ") { $0.add(column: $1, of: alias) }
        }

        /// Adds the alias of a table of a query: `t0`.
        @inlinable public mutating func appendInterpolation(alias: Int) { sql.add(alias: alias) }

        /// Adds the name of a table.
        @inlinable public mutating func appendInterpolation(table name: Dialect.TableName) { sql.add(table: name) }

        /// Adds a whole number.
        @inlinable public mutating func appendInterpolation(number: some BinaryInteger) { sql.add(number: number) }

        /// Adds whole numbers with commas between them.
        @inlinable public mutating func appendInterpolation(numbers: some Sequence<Int>) {
            sql.add(numbers, separator: ", ") { $0.add(number: $1) }
        }

        /// Adds a text where SQL takes no parameter.
        @inlinable public mutating func appendInterpolation(literal text: String) { sql.add(literal: text) }

        /// Adds a parameter and the value that it is bound to.
        @inlinable public mutating func appendInterpolation(bind value: Dialect.Binding) { sql.bind(value) }
    }
}
