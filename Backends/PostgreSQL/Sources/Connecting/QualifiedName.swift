import StrataSQL

/// The name of a table, an index or a sequence, with that of its schema.
struct QualifiedName: Sendable, Hashable {
    let schema: String
    let name: String
}

extension SQLText {
    /// Adds the name of a relation with that of its schema, so that the search path does not matter.
    mutating func add(_ name: QualifiedName) {
        add(identifier: name.schema)
        add(".")
        add(identifier: name.name)
    }

    /// Adds a name in quotes as a text, where a function takes the name of a relation.
    mutating func add(relation name: QualifiedName) {
        var quoted = SQLText()
        quoted.add(name)
        add(SQLText(verbatim: "'" + quoted.text.replacing("'", with: "''") + "'"))
    }
}
