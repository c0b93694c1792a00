import StrataSQL

/// The statements that create a location index as Core Data does: an R*Tree table, and triggers that maintain it.
struct LocationIndexWriter {
    /// The name of the virtual table: `Z_RT_<Entity>_<index>`.
    let name: String
    /// The table whose rows it indexes.
    let table: String
    let columns: [String]

    /// `CREATE VIRTUAL TABLE Z_RT_Place_byPosition USING RTREE (Z_PK INTEGER PRIMARY KEY, ZLATITUDE_MIN FLOAT, ZLATITUDE_MAX FLOAT, …)`.
    var creation: SQLText {
        let columns = ["Z_PK INTEGER PRIMARY KEY"] + bounds.map { SQLText("\(identifier: $0) FLOAT") }
        return "CREATE VIRTUAL TABLE \(identifier: name) USING RTREE (\(columns))"
    }

    /// `INSERT OR REPLACE INTO Z_RT_Place_byPosition (Z_PK, ZLATITUDE_MIN, …) SELECT Z_PK, ZLATITUDE, ZLATITUDE, … FROM ZPLACE`.
    var filling: SQLText {
        let values = ["Z_PK"] + columns.flatMap { [$0, $0] }
        return "\(insertion) SELECT \(identifiers: values) FROM \(table: table)"
    }

    /// The triggers; the text of the one for a new row is Core Data's.
    var triggers: [SQLText] {
        let update: SQLText = " AFTER UPDATE OF \(identifiers: columns)"
        let new = (["Z_PK"] + columns.flatMap { [$0, $0] }).map { SQLText("NEW.\(identifier: $0)") }
        let values: SQLText = "\(insertion) VALUES (\(new)) ;"
        let removal: SQLText = "DELETE FROM \(identifier: name) WHERE Z_PK = OLD.Z_PK ;"
        return [
            trigger("_INSERT", SQLText(" AFTER INSERT"), values), trigger("_UPDATE", update, values),
            trigger("_DELETE", SQLText(" AFTER DELETE"), removal),
        ]
    }

    private var bounds: [String] { columns.flatMap { [$0 + "_MIN", $0 + "_MAX"] } }

    private var insertion: SQLText { SQLText("INSERT OR REPLACE INTO \(identifier: name) (\(identifiers: ["Z_PK"] + bounds))") }

    /// `CREATE TRIGGER Z_RT_Place_byPosition_INSERT AFTER INSERT ON ZPLACE FOR EACH ROW BEGIN … END`.
    private func trigger(_ role: String, _ event: SQLText, _ body: SQLText) -> SQLText {
        "CREATE TRIGGER \(identifier: name + role)\(event) ON \(table: table) FOR EACH ROW BEGIN \(body) END"
    }
}
