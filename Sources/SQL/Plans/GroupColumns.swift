/// A column of the result of a statement that groups, and what the core makes of its value.
public struct GroupColumn<Dialect: SQLDialect>: Sendable {
    /// The use of a column's value in the core.
    public enum Role: Sendable {
        /// A key of the group.
        case key
        /// The number of rows, or of values.
        case count
        /// A value that is null where there is none to aggregate.
        case presence
        /// A sum.
        case sum
        /// The least value.
        case minimum
        /// The greatest value.
        case maximum
        /// One of the two values in the middle of all.
        case median
        /// A number that is NaN where only the core computes the group.
        case numberCheck
        /// A truth value that is true where only the core computes the group.
        case check
    }

    let sql: SQLText<Dialect>
    let kind: SlotKind
    let role: Role

    /// A column with values of a kind.
    public init(_ sql: SQLText<Dialect>, _ role: Role, kind: SlotKind = .integer) {
        self.sql = sql
        self.role = role
        self.kind = kind
    }
}

/// A row of the result of a statement that groups.
public protocol GroupRow {
    /// Whether a column is null.
    func isNull(_ column: Int) -> Bool
    /// Returns the value of a column; `nil` where the core has another one.
    ///
    /// - Throws: `StoreError` for a malformed value.
    func value(_ column: Int, _ kind: SlotKind) throws -> Value?
    /// Returns the sum of decimals in a column, which may have more digits than a decimal; `nil` where the core has another one.
    func decimalSum(_ column: Int) -> DecimalSum?
}

extension GroupRow {
    /// `nil`.
    public func decimalSum(_ column: Int) -> DecimalSum? { nil }
}

/// The columns of a statement that computes groups and aggregates as the core does.
public struct GroupColumns<Dialect: SQLDialect>: Sendable {
    private let keys: [[GroupColumn<Dialect>]]
    private let aggregates: [[GroupColumn<Dialect>]]
    private let grouping: [SQLText<Dialect>]
    private let condition: Condition<Dialect>?

    /// The columns of keys and aggregates.
    ///
    /// - Parameters:
    ///   - grouping: The expressions by which rows are grouped.
    ///   - keys: The columns of each key.
    ///   - aggregates: The columns of each aggregate.
    ///   - condition: A condition that all groups meet that the core keeps.
    public init(
        by grouping: [SQLText<Dialect>], _ keys: [[GroupColumn<Dialect>]], _ aggregates: [[GroupColumn<Dialect>]],
        having condition: Condition<Dialect>? = nil
    ) {
        self.grouping = grouping
        self.keys = keys
        self.aggregates = aggregates
        self.condition = condition
    }

    /// Whether the statement has no groups but those that meet the plan's condition.
    public var testsGroups: Bool { condition?.isExact ?? false }

    /// The kinds of the columns' values; `nil` where only their presence counts.
    public var kinds: [SlotKind?] { (keys + aggregates).joined().map { $0.role == .presence ? nil : $0.kind } }

    /// Returns the statement over a source: `SELECT t0.age, count(*) FROM person t0 WHERE … GROUP BY t0.age HAVING …`.
    public func statement(_ source: SQLText<Dialect>) -> SQLText<Dialect> {
        let columns = (keys + aggregates).joined().map(\.sql)
        var sql = SQLText<Dialect>("SELECT \(columns.isEmpty ? ["count(*)"] : columns)\(source)")
        if !grouping.isEmpty { sql.add(" GROUP BY \(grouping)") }
        if let condition { sql.add(" HAVING \(condition.sql)") }
        return sql
    }

    /// Returns the group of a row; `nil` where only the core computes it.
    ///
    /// - Throws: What the row throws.
    public func group(_ row: some GroupRow) throws -> Group? {
        var column = 0
        var values: [Value] = []
        for columns in keys {
            guard let key = try partial(columns, row, &column)?.key else { return nil }
            values.append(key)
        }
        var partials: [AggregatePartial] = []
        for columns in aggregates {
            guard let partial = try partial(columns, row, &column)?.partial else { return nil }
            partials.append(partial)
        }
        return Group(keys: values, partials: partials)
    }

    private func partial(
        _ columns: [GroupColumn<Dialect>], _ row: some GroupRow, _ index: inout Int
    ) throws -> (key: Value, partial: AggregatePartial)? {
        var key = Value.null
        var partial = AggregatePartial()
        var hasSum = false
        for column in columns {
            defer { index += 1 }
            if column.role == .presence {
                partial.count = row.isNull(index) ? 0 : 1
                continue
            }
            if column.role == .sum, column.kind == .decimal {
                if row.isNull(index) { continue }
                guard let sum = row.decimalSum(index) else { return nil }
                partial.decimals = sum
                continue
            }
            guard let value = try row.value(index, column.kind) else { return nil }
            switch column.role {
            case .key: key = value
            case .count: if case .int(let count) = value { partial.count = Int(truncatingIfNeeded: count) }
            case .sum: (partial.sum, hasSum) = (value, true)
            case .minimum: partial.min = value
            case .maximum: partial.max = value
            case .median: partial.values.append(value)
            case .numberCheck: if value.isNaN { return nil }
            case .check: if value == .bool(true) { return nil }
            case .presence: break
            }
        }
        // Infinities of both signs add up to NaN, of which SQL may make a null; NaN follows all numbers for databases.
        if hasSum && (partial.sum.isNull && partial.count > 0 || partial.sum.isNaN) || partial.max.isNaN { return nil }
        // Of an odd number of values both in the middle are the same one.
        if !partial.values.isEmpty { partial.values = Array(partial.values.prefix(partial.count == 0 ? 0 : 2 - partial.count % 2)) }
        return (key, partial)
    }
}
