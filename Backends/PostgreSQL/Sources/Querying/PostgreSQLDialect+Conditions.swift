import StrataEngine
import StrataSQL

/// Compiles the condition that a column's value is among some keys.
struct KeyCompiler {
    let column: Column
    /// The number of the table's alias in the query.
    let alias: Int

    /// `(t0."age" IS NULL OR t0."age" = ANY($1))`, `t0."name" >= $1 AND t0."name" < $2`; `nil` where a key has no value in SQL.
    func condition(_ set: KeySet) -> SQLText? {
        if set.isEmpty { return SQLText("false") }
        if let keys = set.keys { return condition(keys) }
        // The complement of a set of keys.
        if set.count > 8, let rest = set.complement, let keys = rest.keys, let part = condition(keys) {
            return SQLText("((\(part)) IS NOT TRUE)")
        }
        // The number of a statement's parameters is limited.
        if set.count > 1000 { return nil }
        var parts: [SQLText] = []
        for interval in set.intervals {
            guard let part = condition(interval) else { return nil }
            parts += part
        }
        if parts.isEmpty { return SQLText("false") }
        return SQLText("(\(parts, separator: " OR "))")
    }

    private var type: ColumnType { column.kind == .boolean ? .integer : column.type }

    private var subject: SQLText { "\(column: column.name, of: alias)" }

    /// The column as its keys are compared.
    private var operand: SQLText {
        switch column.kind {
        case .boolean: "\(subject)::integer"
        default: subject
        }
    }

    private func condition(_ keys: [IndexKey]) -> SQLText? {
        var values = ArrayValues(type)
        for key in keys where key != .null {
            guard let parameter = parameter(key), let bytes = parameter.bytes else { return nil }
            values.append { $0.put(field: bytes) }
        }
        var parts: [SQLText] = []
        if keys.contains(.null) { parts.append(isNull) }
        if values.count > 0 { parts.append("\(operand) = ANY(\(bind: values.parameter))") }
        return SQLText("(\(parts, separator: " OR "))")
    }

    private var isNull: SQLText { "\(subject) IS NULL" }

    /// - Returns: The alternatives that the interval consists of.
    private func condition(_ interval: KeySet.Interval) -> [SQLText]? {
        var parts: [SQLText] = []
        if interval.holds(.null) { parts.append(isNull) }
        var bounds: [SQLText?] = []
        switch interval.from {
        case .before(.null), .after(.null): break
        case .end: return parts
        case .before(let key): bounds.append(bound(" >= ", key))
        case .after(let key): bounds.append(bound(" > ", key))
        }
        switch interval.to {
        case .before(.null), .after(.null): return parts
        case .end: break
        case .before(let key): bounds.append(bound(" < ", key))
        case .after(let key): bounds.append(bound(" <= ", key))
        }
        let known = bounds.isEmpty ? ["\(subject) IS NOT NULL"] : bounds.compactMap(\.self)
        return known.count < bounds.count ? nil : parts + ["(\(known, separator: " AND "))"]
    }

    private func bound(_ comparison: StaticString, _ key: IndexKey) -> SQLText? {
        parameter(key).map { "\(operand)\(comparison)\(bind: $0)" }
    }

    /// Returns the value of a key; `nil` where the server has no such value.
    private func parameter(_ key: IndexKey) -> SQLParameter? {
        switch (key, column.kind) {
        case (.word(let word), .integer), (.word(let word), .reference), (.word(let word), .order): .bigint(KeyCompiler.integer(word))
        case (.word(let word), .boolean): .integer(Int(truncatingIfNeeded: KeyCompiler.integer(word)))
        case (.word(let word), .double), (.word(let word), .float), (.word(let word), .date):
            .double(KeyCompiler.double(word))
        case (.bytes(let bytes), .string), (.bytes(let bytes), .uri): KeyCompiler.text(bytes).map { .text($0) }
        case (.bytes(let bytes), .uuid): bytes.count == 16 ? SQLParameter(oid: ColumnType.uuid.oid, bytes: bytes) : nil
        case (.bytes(let bytes), .binary): .bytea(bytes)
        default: nil
        }
    }

    // MARK: - Values of key words

    private static func integer(_ word: UInt64) -> Int64 { Int64(bitPattern: word ^ (1 << 63)) }

    private static func double(_ word: UInt64) -> Double {
        word == .max ? .nan : Double(bitPattern: word >> 63 == 1 ? word ^ (1 << 63) : ~word)
    }

    /// Returns the text of bytes, or where they are the successor of a prefix, which is not UTF-8, the least text after all with that
    /// prefix.
    private static func text(_ bytes: [UInt8]) -> String? {
        if bytes.contains(0) { return nil }
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        guard let last = bytes.last, last > 0, let beginning = String(validating: bytes.dropLast() + [last - 1], as: UTF8.self) else {
            return nil
        }
        var scalars = Array(beginning.unicodeScalars)
        while let last = scalars.popLast() {
            // Surrogates are not characters.
            let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
            guard let scalar = Unicode.Scalar(next) else { continue }
            return String(String.UnicodeScalarView(scalars + [scalar]))
        }
        return nil
    }
}

/// Comparisons of paths with constants.
///
/// The engine computes the keys that a comparison admits, which its indexes look up, and SQL has only the range of these keys.
extension PostgreSQLDialect {
    static func condition(
        _ comparison: ResolvedComparison, with value: Value, in compiler: inout ConditionCompiler
    ) -> Condition? {
        if comparison.left.leafKind == .decimal { return decimalCondition(comparison, value, in: &compiler) }
        return referenceCondition(comparison, in: compiler) ?? textCondition(comparison, in: &compiler)
    }

    /// `t0."price" = $1`, `t0."price" > $1 AND t0."price" < 'NaN'`, `t0."price" = ANY($1)`: an index serves each.
    private static func decimalCondition(
        _ comparison: ResolvedComparison, _ value: Value, in compiler: inout ConditionCompiler
    ) -> Condition? {
        guard comparison.left.leafSlot != nil, let subject = compiler.value(at: comparison.left)?.sql else { return nil }
        func compared(_ op: QueryComparison.Operator, _ value: Value) -> Condition? {
            if value.isNull {
                let isNull: SQLText = "\(subject) IS NULL"
                return op == .equal ? Condition(isNull, opposite: "\(subject) IS NOT NULL") : compiler.truth(false)
            }
            // NaN is neither equal to, less than nor greater than any value.
            if value.isNaN { return compiler.truth(false) }
            guard let number = SQLParameter.numeric(value) else { return nil }
            if op == .equal { return Condition("\(subject) = \(bind: number)") }
            guard let order = op.sqlOrder else { return nil }
            let sql: SQLText = "\(subject)\(order)\(bind: number)"
            return Condition(op == .less || op == .lessOrEqual ? sql : "(\(sql) AND \(subject) < 'NaN')")
        }
        switch (comparison.operator, value) {
        case (.notEqual, _): return compared(.equal, value)?.negated
        case (.between, .list(let bounds)) where bounds.count == 2:
            return compiler.all([compared(.greaterOrEqual, bounds[0]), compared(.lessOrEqual, bounds[1])])
        case (.isIn, .list(let values)):
            var numbers = ArrayValues(.numeric)
            for value in values where !value.isNull && !value.isNaN {
                guard let bytes = SQLParameter.numeric(value)?.bytes else { return nil }
                numbers.append { $0.put(field: bytes) }
            }
            let isAmong = Condition("\(subject) = ANY(\(bind: numbers.parameter))")
            return values.contains(where: \.isNull) ? compiler.any([isAmong, compared(.equal, .null)]) : isAmong
        default: return compared(comparison.operator, value)
        }
    }

    static func keyCondition(_ predicate: ResolvedPredicate, in compiler: ConditionCompiler) -> Condition? {
        var variable: Int?
        predicate.forEachPath { variable = variable ?? $0.variable }
        guard let variable, let table = compiler.scope.variables[variable],
            let based = variable == 0 ? predicate : predicate.rebased(from: variable),
            let condition = SlotCondition(based, storeID: compiler.storeID), condition.kind != .transformable,
            let column = table.column(condition.slot), column.kind != .decimal,
            let sql = KeyCompiler(column: column, alias: table.alias).condition(condition.keys)
        else { return nil }
        return Condition(sql, isExact: condition.keys.isExact)
    }

    private static func referenceCondition(_ comparison: ResolvedComparison, in compiler: ConditionCompiler) -> Condition? {
        guard case .object = comparison.left.leaf, let constant = comparison.right.constant,
            let table = compiler.scope.variables[comparison.left.variable]
        else { return nil }
        let ids: [Value]
        switch (comparison.operator, constant) {
        case (.equal, .objectID): ids = [constant]
        case (.isIn, .list(let values)): ids = values
        case (_, .objectID) where comparison.operator.sqlOrder != nil: ids = [constant]
        default: return nil
        }
        let references = ids.compactMap { value -> Int64? in
            guard case .objectID(let id) = value, id.storeID == compiler.storeID, id.reference > 0,
                id.entity.rootName == table.entity.rootName
            else { return nil }
            return id.reference
        }
        let id = SQLText("\(column: EntityTable.id, of: table.alias)")
        if let order = comparison.operator.sqlOrder {
            return references.first.map { Condition("\(id)\(order)\(bind: binding($0))") } ?? compiler.truth(false)
        }
        return Condition("\(id) = ANY(\(bind: ArrayValues(references).parameter))")
    }

    private static func textCondition(_ comparison: ResolvedComparison, in compiler: inout ConditionCompiler) -> Condition? {
        guard let slot = comparison.left.leafSlot, let table = compiler.scope.variables[comparison.left.variable],
            let column = table.column(slot), column.kind == .string || column.kind == .uri,
            case .constant(.string(let text)) = comparison.right, case let sql = SQLText("\(column: column.name, of: table.alias)"),
            let condition = TextCondition(sql, comparison.operator, text, comparison.options)?.condition
        else { return nil }
        // The server may refuse a pattern as too complex.
        return comparison.operator != .matches || compiler.admitFailure() ? condition : nil
    }
}
