import FoundationEssentials
import StrataSQL

/// Gives relations and columns other names, which may be those of others that get another one.
struct Renaming {
    /// What no relation and no column is called.
    private let between = "strata_" + UUID().uuidString.lowercased() + "_"
    private var count = 0
    private var first = SQLText()
    private var second = SQLText()

    /// The statements: all names become ones in between, and these the new ones.
    ///
    /// A relation that another program removed is left out.
    var statements: SQLText { "\(first)\(second)" }

    /// - Parameter keyword: What is renamed: `TABLE`, `SEQUENCE`, or `INDEX`, with which goes its constraint.
    mutating func add(_ keyword: StaticString, _ old: QualifiedName, _ new: String) {
        if old.name == new { return }
        let between = QualifiedName(schema: old.schema, name: nextName())
        first.add("ALTER \(keyword) IF EXISTS \(old) RENAME TO \(identifier: between.name); ")
        second.add("ALTER \(keyword) IF EXISTS \(between) RENAME TO \(identifier: new); ")
    }

    mutating func add(columnOf table: QualifiedName, _ old: String, _ new: String) {
        if old == new { return }
        let between = nextName()
        first.add("ALTER TABLE \(table) RENAME COLUMN \(identifier: old) TO \(identifier: between); ")
        second.add("ALTER TABLE \(table) RENAME COLUMN \(identifier: between) TO \(identifier: new); ")
    }

    private mutating func nextName() -> String {
        defer { count += 1 }
        return between + String(count)
    }
}
