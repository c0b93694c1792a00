import StrataSQL

/// The name of a table, an index or a sequence, with that of its schema.
struct QualifiedName: Sendable, Hashable {
    let schema: String
    let name: String
}

extension SQLText {
    /// Adds the name of a relation with that of its schema, so that the search path does not matter.
    mutating func add(_ name: QualifiedName) { add("\(identifier: name.schema).\(identifier: name.name)") }

    /// Adds a value of an attribute as a statement spells it that takes no parameters; see `Column.takes(_:)`.
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
    /// Adds a name in quotes as a text, where a function takes the name of a relation.
    mutating func appendInterpolation(relation name: QualifiedName) {
        sql.add(SQLText(verbatim: "'" + SQLText("\(name)").text.replacing("'", with: "''") + "'"))
    }
    mutating func appendInterpolation(literal value: Value, _ kind: SlotKind) { sql.add(literal: value, kind) }
    mutating func appendInterpolation(_ type: ColumnType) { sql.add(type.name) }
    mutating func appendInterpolation(declaring column: Column) { sql.add("\(identifier: column.name) \(declaring: column.type)") }
    /// Adds a type as a column is declared with it: text goes by its bytes, wherever the database comes from.
    mutating func appendInterpolation(declaring type: ColumnType) {
        sql.add(type.name)
        if type == .text { sql.add(" COLLATE \"C\"") }
    }
}
