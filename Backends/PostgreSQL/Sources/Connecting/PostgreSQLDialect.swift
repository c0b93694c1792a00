import StrataSQL

/// PostgreSQL's SQL: numbered parameters, and quoted names qualified by their schemas.
enum PostgreSQLDialect: SQLDialect {
    typealias Binding = SQLParameter
    typealias TableName = QualifiedName
    typealias Column = StrataPostgreSQL.Column

    /// The server's objects of a table besides its columns.
    struct TableDetails: Sendable {
        /// The sequence that generates references.
        let sequence: QualifiedName
        /// The name of the primary key.
        let key: String
    }

    /// The server's objects of a join table besides its columns.
    struct JoinDetails: Sendable {
        /// The name of the primary key.
        let key: String
    }

    /// The parts of a store's schema besides its tables.
    struct SchemaDetails: Sendable {
        /// The schema that holds the store.
        let name: String
        /// The names of fetch indexes and constraints, by their names in the model.
        let catalog: Catalog
    }

    static let numbersPlaceholders = true
    static let (keyColumn, entityColumn, versionColumn) = (EntityTable.id, EntityTable.entity, EntityTable.version)
    static let (trueCondition, falseCondition): (StaticString, StaticString) = ("true", "false")
    static let longestChain = Int.max
    static let longestListOfExpressions = 32
    // Paths become subqueries, for which the planner chooses a join.
    static let joinsPaths = false
    static let looksUpOwners = false

    static func append(placeholder number: Int, to text: inout String) {
        text += "$"
        text += String(number)
    }

    static func append(identifier name: String, to text: inout String) {
        // A name contains no NUL.
        text.append(quotedIdentifier: name.utf8.contains(0) ? name.replacing("\0", with: "") : name)
    }

    static func append(literal value: String, to text: inout String) {
        text += " E'"
        if value.utf8.contains(where: { $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "'") || $0 == 0 }) {
            text += value.replacing("\\", with: "\\\\").replacing("'", with: "''").replacing("\0", with: "")
        } else {
            text += value
        }
        text += "'"
    }

    static func add(_ table: QualifiedName, to sql: inout SQLText) { sql.add(table) }

    static func binding(_ number: Int64) -> SQLParameter { .bigint(number) }

    /// Selects decimals as text, the form in which rows keep them; the function takes no other numbers with decimals.
    static func selected(_ column: Column) -> SQLText {
        column.type == .numeric
            ? "pg_catalog.numeric_out(\(column: column.name))::text AS \(identifier: column.name)" : "\(column: column.name)"
    }
}

typealias SQLText = StrataSQL.SQLText<PostgreSQLDialect>
typealias StoreSchema = StrataSQL.StoreSchema<PostgreSQLDialect>
typealias EntityTable = StrataSQL.EntityTable<PostgreSQLDialect>
typealias JoinTable = StrataSQL.JoinTable<PostgreSQLDialect>
typealias SchemaDiff = StrataSQL.SchemaDiff<PostgreSQLDialect>
typealias SQLExpression = StrataSQL.SQLExpression<PostgreSQLDialect>
typealias Condition = StrataSQL.Condition<PostgreSQLDialect>
typealias PlanContext = StrataSQL.PlanContext<PostgreSQLDialect>
typealias PlanCompiler = StrataSQL.PlanCompiler<PostgreSQLDialect>
typealias CompiledPlan = StrataSQL.CompiledPlan<PostgreSQLDialect>
typealias GroupColumn = StrataSQL.GroupColumn<PostgreSQLDialect>
typealias GroupColumns = StrataSQL.GroupColumns<PostgreSQLDialect>
typealias DestinationQuery = StrataSQL.DestinationQuery<PostgreSQLDialect>
typealias RowMapping = StrataSQL.RowMapping<PostgreSQLDialect>
typealias ConditionCompiler = StrataSQL.ConditionCompiler<PostgreSQLDialect>

extension StoreSchema {
    var name: String { details.name }
    var catalog: Catalog { details.catalog }
}

extension EntityTable {
    static var id: String { "_id" }
    static var entity: String { "_entity" }
    static var version: String { "_version" }

    var sequence: QualifiedName { details.sequence }
    var key: String { details.key }
}
