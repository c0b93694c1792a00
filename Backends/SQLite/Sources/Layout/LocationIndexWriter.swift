import StrataModel
import StrataSQL

/// The statements that make a location index as Core Data does: a virtual table of ranges, and triggers that keep it.
struct LocationIndexWriter {
    /// The name of the virtual table: `Z_RT_<Entity>_<index>`.
    let name: String
    /// The table whose rows it indexes.
    let table: String
    private let columns: [String]

    init(name: String, on table: String, columns: [String]) {
        self.name = name
        self.table = table
        self.columns = columns
    }

    /// `CREATE VIRTUAL TABLE Z_RT_Place_byPosition USING RTREE (Z_PK INTEGER PRIMARY KEY, ZLATITUDE_MIN FLOAT, ZLATITUDE_MAX FLOAT, …)`.
    var creation: SQLText {
        var sql = SQLText("CREATE VIRTUAL TABLE ")
        sql.add(identifier: name)
        sql.add(" USING RTREE (Z_PK INTEGER PRIMARY KEY")
        for bound in bounds {
            sql.add(", ")
            sql.add(identifier: bound)
            sql.add(" FLOAT")
        }
        sql.add(")")
        return sql
    }

    /// `INSERT OR REPLACE INTO Z_RT_Place_byPosition (Z_PK, ZLATITUDE_MIN, …) SELECT Z_PK, ZLATITUDE, ZLATITUDE, … FROM ZPLACE`.
    var filling: SQLText {
        var sql = insertion
        sql.add(" SELECT Z_PK")
        for column in columns {
            for _ in 0..<2 {
                sql.add(", ")
                sql.add(identifier: column)
            }
        }
        sql.add(" FROM ")
        sql.add(identifier: table)
        return sql
    }

    /// The triggers, of which the text for a new row is Core Data's.
    var triggers: [SQLText] {
        var update = SQLText(" AFTER UPDATE OF ")
        update.add(columns, separator: ", ") { $0.add(identifier: $1) }
        var values = insertion
        values.add(" VALUES (NEW.Z_PK")
        for column in columns {
            for _ in 0..<2 {
                values.add(", NEW.")
                values.add(identifier: column)
            }
        }
        values.add(") ;")
        var removal = SQLText("DELETE FROM ")
        removal.add(identifier: name)
        removal.add(" WHERE Z_PK = OLD.Z_PK ;")
        return [
            trigger("_INSERT", SQLText(" AFTER INSERT"), values), trigger("_UPDATE", update, values),
            trigger("_DELETE", SQLText(" AFTER DELETE"), removal),
        ]
    }

    private var bounds: [String] { columns.flatMap { [$0 + "_MIN", $0 + "_MAX"] } }

    private var insertion: SQLText {
        var sql = SQLText("INSERT OR REPLACE INTO ")
        sql.add(identifier: name)
        sql.add(" (")
        sql.add(["Z_PK"] + bounds, separator: ", ") { $0.add(identifier: $1) }
        sql.add(")")
        return sql
    }

    /// `CREATE TRIGGER Z_RT_Place_byPosition_INSERT AFTER INSERT ON ZPLACE FOR EACH ROW BEGIN … END`.
    private func trigger(_ role: String, _ event: SQLText, _ body: SQLText) -> SQLText {
        var sql = SQLText("CREATE TRIGGER ")
        sql.add(identifier: name + role)
        sql.add(event)
        sql.add(" ON ")
        sql.add(identifier: table)
        sql.add(" FOR EACH ROW BEGIN ")
        sql.add(body)
        sql.add(" END")
        return sql
    }
}
