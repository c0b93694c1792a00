import FoundationEssentials
import StrataSQL

/// Gives relations and columns other names, which may be those of others that get another one.
struct Renaming {
    private enum Item {
        case relation(StaticString, QualifiedName)
        case column(QualifiedName, String)
    }

    /// What no relation and no column is called.
    private let between = "strata_" + UUID().uuidString.lowercased() + "_"
    private var steps: [(old: Item, between: Item, new: String)] = []

    /// - Parameter keyword: What is renamed: `TABLE`, `SEQUENCE`, or `INDEX`, with which goes its constraint.
    mutating func add(_ keyword: StaticString, _ old: QualifiedName, _ new: String) {
        if old.name == new { return }
        let between = QualifiedName(schema: old.schema, name: between + "\(steps.count)")
        steps.append((.relation(keyword, old), .relation(keyword, between), new))
    }

    mutating func add(columnOf table: QualifiedName, _ old: String, _ new: String) {
        if old != new { steps.append((.column(table, old), .column(table, between + "\(steps.count)"), new)) }
    }

    var statements: SQLText {
        var sql = SQLText()
        for step in steps {
            switch step.between {
            case .relation(_, let name): sql.add(Renaming.statement(step.old, name.name))
            case .column(_, let name): sql.add(Renaming.statement(step.old, name))
            }
        }
        for step in steps { sql.add(Renaming.statement(step.between, step.new)) }
        return sql
    }

    /// What somebody removed keeps no name.
    private static func statement(_ item: Item, _ name: String) -> SQLText {
        var sql = SQLText("ALTER ")
        switch item {
        case .relation(let keyword, let old):
            sql.add("\(keyword) IF EXISTS \(old) RENAME TO ")
        case .column(let table, let old):
            sql.add("TABLE \(table) RENAME COLUMN \(identifier: old) TO ")
        }
        sql.add("\(identifier: name); ")
        return sql
    }
}
