import StrataSQL

/// SQLite's SQL: parameters by position, and plain names without quotes.
enum SQLiteDialect: SQLDialect {
    typealias Binding = SQLBinding
    typealias TableName = String
    typealias Column = StrataSQLite.Column
    typealias TableDetails = ()
    typealias JoinDetails = ()
    typealias SchemaDetails = ()

    static let numbersPlaceholders = false
    static let (keyColumn, entityColumn, versionColumn) = ("Z_PK", "Z_ENT", "Z_OPT")
    static let (trueCondition, falseCondition): (StaticString, StaticString) = ("1", "0")
    // SQLite limits the depth of expressions, which equals the length of a chain.
    static let longestChain = 16
    static let longestListOfExpressions = Int.max
    static let joinsPaths = true
    static let looksUpOwners = true

    static func append(placeholder number: Int, to text: inout String) { text += "?" }

    static func append(identifier name: String, to text: inout String) {
        if isPlain(name) { text += name } else { text.append(quotedIdentifier: name) }
    }

    static func append(literal value: String, to text: inout String) {
        text += "'"
        text += value.replacing("'", with: "''")
        text += "'"
    }

    static func add(_ table: String, to sql: inout SQLText) { sql.add(identifier: table) }

    static func binding(_ number: Int64) -> SQLBinding { .integer(number) }

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

typealias SQLText = StrataSQL.SQLText<SQLiteDialect>
typealias StoreSchema = StrataSQL.StoreSchema<SQLiteDialect>
typealias EntityTable = StrataSQL.EntityTable<SQLiteDialect>
typealias JoinTable = StrataSQL.JoinTable<SQLiteDialect>
typealias SchemaDiff = StrataSQL.SchemaDiff<SQLiteDialect>
typealias SQLExpression = StrataSQL.SQLExpression<SQLiteDialect>
typealias Condition = StrataSQL.Condition<SQLiteDialect>
typealias PlanContext = StrataSQL.PlanContext<SQLiteDialect>
typealias PlanCompiler = StrataSQL.PlanCompiler<SQLiteDialect>
typealias CompiledPlan = StrataSQL.CompiledPlan<SQLiteDialect>
typealias GroupColumn = StrataSQL.GroupColumn<SQLiteDialect>
typealias GroupColumns = StrataSQL.GroupColumns<SQLiteDialect>
typealias DestinationQuery = StrataSQL.DestinationQuery<SQLiteDialect>
typealias RowMapping = StrataSQL.RowMapping<SQLiteDialect>
typealias ConditionCompiler = StrataSQL.ConditionCompiler<SQLiteDialect>
