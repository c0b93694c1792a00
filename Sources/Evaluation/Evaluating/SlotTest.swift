import StrataText

/// Comparisons of the bytes of slots, without making values where the kinds allow it.
enum SlotTest {
    static func test(
        _ slot: Slot, _ kind: SlotKind, _ op: QueryComparison.Operator, _ constant: Value, _ options: QueryComparison.Options
    ) throws(QueryError) -> (Row) throws -> Bool {
        switch (op, kind, constant) {
        case (.equal, _, .null): return nullTest(slot, kind, isNull: true)
        case (.notEqual, _, .null): return nullTest(slot, kind, isNull: false)
        case (.isIn, .integer, .list(let values)):
            let numbers = Set(values.compactMap { if case .int(let number) = $0 { number } else { nil } })
            guard values.allSatisfy({ if case .int = $0 { true } else { $0.isNull } }) else { break }
            let admitsNull = values.contains { $0.isNull }
            return { row in row.integer(slot).map { numbers.contains($0) } ?? admitsNull }
        case (.between, .decimal, .list(let bounds)):
            guard bounds.count == 2, let low = DecimalNumber(bounds[0]), let high = DecimalNumber(bounds[1]) else { break }
            return { row in
                guard let number = row.decimal(slot) else { return false }
                return ValueTest.holds(.greaterOrEqual, number.compare(low)) && ValueTest.holds(.lessOrEqual, number.compare(high))
            }
        case (.isIn, _, _), (.between, _, _): break
        case (_, .decimal, _) where !op.isTextual:
            guard let constant = DecimalNumber(constant) else { break }
            return nullable(op, slot) { $0.decimal(slot)?.compare(constant) ?? .unordered }
        case (_, .integer, .int(let number)) where !op.isTextual:
            return nullable(op, slot) { Ordering(Int64(bitPattern: $0.rawWord(slot)), number) }
        case (_, .double, .double(let number)) where !op.isTextual, (_, .float, .double(let number)) where !op.isTextual:
            return nullable(op, slot) { Ordering(Double(bitPattern: $0.rawWord(slot)), number) }
        case (_, .date, .date(let date)) where !op.isTextual:
            let number = date.timeIntervalSinceReferenceDate
            return nullable(op, slot) { Ordering(Double(bitPattern: $0.rawWord(slot)), number) }
        case (_, .string, .string(let text)), (_, .uri, .string(let text)): return try textTest(op, slot, text, options)
        case (_, .string, .url(let url)), (_, .uri, .url(let url)):
            return try textTest(op, slot, url.absoluteString, options)
        default: break
        }
        let test = try ValueTest.prepared(op, constant, options)
        return { row in
            try row.requireAvailable(slot, kind)
            return try test(row.value(slot, kind))
        }
    }

    private static func nullTest(_ slot: Slot, _ kind: SlotKind, isNull: Bool) -> (Row) throws -> Bool {
        guard kind.isVariable else { return { $0.isNull(slot) == isNull } }
        return { row in
            try row.requireAvailable(slot, kind)
            return row.isNull(slot) == isNull
        }
    }

    private static func textTest(
        _ op: QueryComparison.Operator, _ slot: Slot, _ text: String, _ options: QueryComparison.Options
    ) throws(QueryError) -> (Row) throws -> Bool {
        guard let test = try TextTest(op, text, options: options) else { return { _ in false } }
        let ifNull = op == .notEqual
        return { row in
            if let bytes = unsafe row.bytes(slot) { return try unsafe test.passes(bytes) }
            try row.requireAvailable(slot, .string)
            return ifNull
        }
    }

    private static func nullable(_ op: QueryComparison.Operator, _ slot: Slot, _ order: @escaping (Row) -> Ordering) -> (Row) -> Bool {
        let ifNull = op == .notEqual
        return { row in row.isNull(slot) ? ifNull : ValueTest.holds(op, order(row)) }
    }

    /// Returns a comparison of two paths, whose rows may be missing; `nil` where values have to be made for it.
    static func test(
        _ left: PropertyPath, _ op: QueryComparison.Operator, _ right: PropertyPath, _ options: QueryComparison.Options
    ) -> ((Row?, Row?) throws -> Bool)? {
        if let a = left.objectEntity, let b = right.objectEntity {
            return objects(left.leafSlot, op, right.leafSlot, areOfOneHierarchy: a.rootName == b.rootName)
        }
        guard !op.isTextual, op != .isIn, op != .between, let a = left.leafSlot, let b = right.leafSlot else { return nil }
        func compared(_ order: @escaping (Row, Row) -> Ordering) -> (Row?, Row?) -> Bool {
            let (ifBothNull, ifOneNull) = (op == .equal, op == .notEqual)
            return { left, right in
                let (x, y) = (left.flatMap { $0.isNull(a) ? nil : $0 }, right.flatMap { $0.isNull(b) ? nil : $0 })
                guard let x, let y else { return x == nil && y == nil ? ifBothNull : ifOneNull }
                return ValueTest.holds(op, order(x, y))
            }
        }
        switch (left.leafKind, right.leafKind) {
        case (.integer, .integer):
            return compared { Ordering(Int64(bitPattern: $0.rawWord(a)), Int64(bitPattern: $1.rawWord(b))) }
        case (.double, .double), (.float, .float), (.double, .float), (.float, .double), (.date, .date):
            return compared { Ordering(Double(bitPattern: $0.rawWord(a)), Double(bitPattern: $1.rawWord(b))) }
        case (.decimal, .decimal): return compared { ($0.decimal(a) ?? .nan).compare($1.decimal(b) ?? .nan) }
        case (.string, .string) where options.isEmpty:
            let test = compared { x, y in
                guard let x = unsafe x.bytes(a), let y = unsafe y.bytes(b) else { return .unordered }
                return unsafe compareBytes(x, y)
            }
            return { x, y in
                try x?.requireAvailable(a, .string)
                try y?.requireAvailable(b, .string)
                return test(x, y)
            }
        default: return nil
        }
    }

    private static func objects(_ a: Slot?, _ op: QueryComparison.Operator, _ b: Slot?, areOfOneHierarchy: Bool) -> ((Row?, Row?) -> Bool)?
    {
        guard op == .equal || op == .notEqual else { return { _, _ in false } }
        return { left, right in
            let x = a.map { left?.integer($0) } ?? left?.reference
            let y = b.map { right?.integer($0) } ?? right?.reference
            return (x == y && (x == nil || areOfOneHierarchy)) == (op == .equal)
        }
    }
}
