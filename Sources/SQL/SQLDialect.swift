/// The SQL of one database: how names, parameters and texts are written, the types of its schema, how values are compared and functions called.
public protocol SQLDialect: Sendable {
    /// A value that a parameter is bound to.
    associatedtype Binding: Sendable
    /// The name of a table.
    associatedtype TableName: Sendable, Hashable
    /// A column of an entity table.
    associatedtype Column: SQLColumn
    /// The dialect's data of an entity table; `Void` for none.
    associatedtype TableDetails: Sendable
    /// The dialect's data of a join table; `Void` for none.
    associatedtype JoinDetails: Sendable
    /// The dialect's data of a schema; `Void` for none.
    associatedtype SchemaDetails: Sendable
    /// The knowledge of an expression's values besides their kind.
    associatedtype ExpressionDetails: Sendable
    /// How the store answers plans for groups.
    associatedtype Groups: Sendable
    /// How the store answers plans for values.
    associatedtype Values: Sendable

    // MARK: - Text

    /// Whether placeholders are numbered: they are numbered anew when a statement is added to another.
    static var numbersPlaceholders: Bool { get }

    /// Appends the placeholder of a parameter; the first one has the number 1.
    static func append(placeholder number: Int, to text: inout String)
    /// Appends an identifier, in quotes where it needs them.
    static func append(identifier name: String, to text: inout String)
    /// Appends a text as a literal.
    static func append(literal value: String, to text: inout String)
    /// Adds the name of a table.
    static func add(_ table: TableName, to sql: inout SQLText<Self>)

    // MARK: - Tables

    /// The name of the primary key of entity tables.
    static var keyColumn: String { get }
    /// The name of the column that holds the number of a row's entity.
    static var entityColumn: String { get }
    /// The name of the column that holds the version of a row.
    static var versionColumn: String { get }

    /// Returns the value of a parameter that is a whole number.
    static func binding(_ number: Int64) -> Binding
    /// Returns a column of the table `t0` as rows are read from it.
    static func selected(_ column: Column) -> SQLText<Self>

    // MARK: - Conditions

    /// A condition that all rows meet.
    static var trueCondition: StaticString { get }
    /// A condition that no row meets.
    static var falseCondition: StaticString { get }
    /// The number of conditions that one chain of `AND` or `OR` may have.
    static var longestChain: Int { get }
    /// The number of computed elements that a list may have to be tested one by one.
    static var longestListOfExpressions: Int { get }
    /// Whether to-one steps of paths join tables; else they are subqueries.
    static var joinsPaths: Bool { get }
    /// Whether the owners of a collection's elements are looked up where an index finds the elements.
    static var looksUpOwners: Bool { get }

    /// Returns the condition that one slot holds one of the keys that a predicate admits; `nil` where the dialect does not compare by keys.
    static func keyCondition(_ predicate: ResolvedPredicate, in compiler: ConditionCompiler<Self>) -> Condition<Self>?
    /// Returns the condition of a comparison of a path with a constant.
    static func condition(
        _ comparison: ResolvedComparison, with value: Value, in compiler: inout ConditionCompiler<Self>
    ) -> Condition<Self>?
    /// Returns the condition that compares an expression with a constant.
    static func condition(
        _ left: SQLExpression<Self>, _ op: QueryComparison.Operator, value: Value, options: QueryComparison.Options,
        in compiler: inout ConditionCompiler<Self>
    ) -> Condition<Self>?
    /// Returns the condition that compares two expressions.
    static func condition(
        _ left: SQLExpression<Self>, _ op: QueryComparison.Operator, other: SQLExpression<Self>, options: QueryComparison.Options,
        in compiler: inout ConditionCompiler<Self>
    ) -> Condition<Self>?

    // MARK: - Plans

    /// The number of parameters that the conditions of a statement may have.
    static var mostParameters: Int { get }
    /// Whether conditions select rows that the core tests then; else it tests the rows that the other conditions select.
    static var usesInexactConditions: Bool { get }
    /// The limit of all rows, for a database that takes no offset without a limit.
    static var noLimit: Int64? { get }
    /// The suffix that sorts nulls first in ascending order, where that is not the database's default.
    static var nullsFirst: StaticString { get }

    /// Returns the conditions of a statement over the rows of some entities, by their numbers, in a table that has others too.
    static func conditions(_ conditions: [SQLText<Self>], ofEntities numbers: [Int]) -> [SQLText<Self>]
    /// Returns a term of an order, with its direction; `nil` where the core has another order.
    static func orderTerm(_ column: SQLExpression<Self>, _ sort: ResolvedSort) -> SQLText<Self>?
    /// Returns an expression whose values the store reads from a result; `nil` where only the core computes them.
    static func selected(
        _ expression: ResolvedExpression, as use: SelectedValueUse, in compiler: inout ConditionCompiler<Self>
    ) -> SQLExpression<Self>?
    /// How groups are made; `nil` where only the core makes them.
    ///
    /// - Parameters:
    ///   - plan: The plan.
    ///   - keys: The keys.
    ///   - operands: The operands of the aggregates; `nil` for the number of objects.
    ///   - compiler: The compiler of the query.
    static func groups(
        _ plan: GroupPlan, by keys: [SQLExpression<Self>], _ operands: [SQLExpression<Self>?], in compiler: inout ConditionCompiler<Self>
    ) -> Groups?
    /// Returns the statement for values; `nil` where only the core computes one.
    static func values(_ plan: ValuePlan, in compiler: inout PlanCompiler<Self>) -> (sql: SQLText<Self>, values: Values)?

    // MARK: - Changes

    /// The version of a row after a change: `t0.version + 1`.
    static var nextVersion: SQLText<Self> { get }
    /// Returns the value that a column is set to; `nil` where only the core computes it.
    static func assignment(
        _ computation: RowAssignments.Computation, in compiler: inout ConditionCompiler<Self>
    ) -> SQLText<Self>?

    // MARK: - Expressions

    /// Returns the details of a column, without `column` those of a key or of computed texts; `nil` for columns whose values are not
    /// compared as those of the core.
    static func details(of kind: SlotKind, in column: Column?) -> ExpressionDetails?
    /// Returns the details of an expression that has the values of one expression or of another; `nil` where SQL has none.
    static func details(ofEither a: SQLExpression<Self>, or b: SQLExpression<Self>) -> ExpressionDetails?
    /// Returns a constant; `nil` where the database has no such value.
    static func constant(_ value: Value) -> SQLExpression<Self>?
    /// Returns a call of a function; `nil` where only the core computes it.
    static func call(
        _ function: QueryFunction, _ arguments: [ResolvedExpression], in compiler: inout ConditionCompiler<Self>
    ) -> SQLExpression<Self>?
    /// Returns an aggregate over the rows of a subquery; `nil` where only the core computes it.
    ///
    /// - Parameters:
    ///   - function: The function.
    ///   - operand: The value of each row; `nil` to count the rows.
    ///   - order: The order in which the core adds up floating-point numbers; empty where it is not known.
    ///   - compiler: The compiler of the query.
    static func aggregate(
        _ function: AggregateFunction, of operand: SQLExpression<Self>?, inOrder order: [SQLText<Self>],
        in compiler: inout ConditionCompiler<Self>
    ) -> SQLExpression<Self>?
}

extension SQLDialect {
    /// Reads columns as they are.
    public static func selected(_ column: Column) -> SQLText<Self> { SQLText("\(column: column.name)") }

    /// Compares by no keys.
    public static func keyCondition(_ predicate: ResolvedPredicate, in compiler: ConditionCompiler<Self>) -> Condition<Self>? { nil }

    /// Compares the value at the end of the path.
    public static func condition(
        _ comparison: ResolvedComparison, with value: Value, in compiler: inout ConditionCompiler<Self>
    ) -> Condition<Self>? {
        compiler.value(at: comparison.left).flatMap {
            condition($0, comparison.operator, value: value, options: comparison.options, in: &compiler)
        }
    }
}

/// The use of a selected value.
public enum SelectedValueUse: Sendable {
    /// A key of groups, of which no more matters than which values are equal.
    case key
    /// An operand that is counted, of which no more matters than whether there is a value.
    case counted
    /// The value itself.
    case value
}

/// A column of an entity table.
public protocol SQLColumn: Sendable, Hashable {
    /// The name.
    var name: String { get }
    /// The kind of the slot that the column holds.
    var kind: SlotKind { get }
    /// The name of the attribute or relationship.
    var property: String { get }
    /// Whether the table has the column, as it does unless another program made it.
    var isPresent: Bool { get }
    /// Whether the value may be in a file of its own.
    var isExternal: Bool { get }

    /// Whether the column becomes another one by statements that do not depend on the row.
    func canBecome(_ other: Self) -> Bool
    /// Whether a statement can give the column of many rows a value.
    func takes(_ value: Value) -> Bool
}

extension SQLColumn {
    /// True.
    public var isPresent: Bool { true }
    /// False.
    public var isExternal: Bool { false }
}
