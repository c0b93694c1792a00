import StrataSQL

/// The name of a table, an index or a sequence, qualified by its schema.
struct QualifiedName: Sendable, Hashable {
    let schema: String
    let name: String
}

extension SQLText {
    /// Adds the qualified name of a relation, so that the search path has no effect.
    mutating func add(_ name: QualifiedName) { add("\(identifier: name.schema).\(identifier: name.name)") }

    /// Adds the literal of an attribute's value, for statements that take no parameters; see `Column.takes(_:)`.
    mutating func add(literal value: Value, _ kind: SlotKind) {
        switch value {
        case .bool(let flag): add(flag ? " true" : " false")
        case .int(let number):
            add(" ")
            add(number: number)
        case .double(let number): add(literal: "\(kind == .float ? Double(Float(number)) : number)")
        case .date(let date): add(literal: "\(date.timeIntervalSinceReferenceDate)")
        case .decimal(let number): add(literal: "\(number)")
        case .string(let text): add(literal: text)
        case .uuid(let uuid): add(literal: uuid.uuidString)
        case .null, .data, .url, .objectID, .list: add(" NULL")
        }
    }
}

extension SQLText.StringInterpolation {
    mutating func appendInterpolation(_ name: QualifiedName) { sql.add(name) }
    mutating func appendInterpolation(_ names: [QualifiedName]) { sql.add(names, separator: ", ") { $0.add($1) } }
    /// Adds a quoted name as a text, for functions that take the name of a relation.
    mutating func appendInterpolation(relation name: QualifiedName) {
        sql.add(SQLText(verbatim: "'" + SQLText("\(name)").text.replacing("'", with: "''") + "'"))
    }
    mutating func appendInterpolation(literal value: Value, _ kind: SlotKind) { sql.add(literal: value, kind) }
    mutating func appendInterpolation(_ type: ColumnType) { sql.add(type.name) }
    mutating func appendInterpolation(declaring column: Column) { sql.add("\(identifier: column.name) \(declaring: column.type)") }
    /// Adds a type with its collation for a column: texts are compared by their bytes, whatever the database's locale.
    mutating func appendInterpolation(declaring type: ColumnType) {
        sql.add(type.name)
        if type == .text { sql.add(" COLLATE \"C\"") }
    }
}
