import FoundationEssentials
import StrataModel

/// A predicate compiled to closures over row bytes: no object, no dictionary and, for most comparisons, no value is made.
///
/// Compile once, then test many rows on one thread.
public struct RowPredicate {
    public typealias Test = (Row, any RowResolver) throws -> Bool
    private let test: Test
    let source: ResolvedPredicate

    /// Compiles a resolved predicate.
    public init(_ predicate: ResolvedPredicate) { test = RowPredicate.compile(predicate); source = predicate }

    /// Whether a row passes; `resolver` finds the rows at the end of to-one relationships and what it throws is thrown on.
    public func passes(_ row: Row, _ resolver: any RowResolver) throws -> Bool { try test(row, resolver) }

    private static func compile(_ predicate: ResolvedPredicate) -> Test {
        switch predicate {
        case .constant(let truth): return { _, _ in truth }
        case .not(let part):
            let test = compile(part)
            return { try !test($0, $1) }
        case .and(let parts):
            let tests = parts.map(compile)
            return { row, resolver in
                for test in tests where try !test(row, resolver) { return false }
                return true
            }
        case .or(let parts):
            let tests = parts.map(compile)
            return { row, resolver in
                for test in tests where try test(row, resolver) { return true }
                return false
            }
        case .comparison(let comparison): return compile(comparison)
        case .test, .exists: return { _, _ in false }
        }
    }

    private static func compile(_ comparison: ResolvedComparison) -> Test {
        let path = comparison.left
        guard let constant = comparison.right.constant else { return comparePaths(comparison) }
        guard let slot = path.leafSlot else { return objects(comparison, constant) }
        if case .toOne = path.leaf { return objects(comparison, constant) }
        guard let test = slotTest(slot, path.leafKind, comparison, constant) else { return { _, _ in false } }
        if path.steps.isEmpty { return { row, _ in test(row) } }
        let ifMissing = ValueTest.compare(.null, comparison.operator, constant, comparison.options) ?? false
        return { row, resolver in
            guard let end = try follow(path, from: row, resolver) else { return ifMissing }
            return test(end)
        }
    }

    /// The row that a path's steps lead to, `nil` where one of them leads nowhere.
    public static func follow(_ path: PropertyPath, from row: Row, _ resolver: any RowResolver) throws -> Row? {
        var current = row
        for step in path.steps {
            guard let reference = current.integer(step.slot),
                let next = try resolver.row(root: step.destination.root, reference: reference)
            else { return nil }
            current = next
        }
        return current
    }

    // MARK: - A slot against a constant

    private static func slotTest(
        _ slot: Int, _ kind: SlotKind, _ comparison: ResolvedComparison, _ constant: Value
    ) -> ((Row) -> Bool)? {
        let (op, options) = (comparison.operator, comparison.options)
        switch (op, kind, constant) {
        case (.equal, _, .null): return { $0.isNull(slot) }
        case (.notEqual, _, .null): return { !$0.isNull(slot) }
        case (_, .integer, .int(let number)):
            return nullable(op, slot) { Ordering(Int64(bitPattern: $0.rawWord(slot)), number) }
        case (_, .double, .double(let number)), (_, .float, .double(let number)):
            return nullable(op, slot) { Ordering(Double(bitPattern: $0.rawWord(slot)), number) }
        case (_, .date, .date(let date)):
            let number = date.timeIntervalSinceReferenceDate
            return nullable(op, slot) { Ordering(Double(bitPattern: $0.rawWord(slot)), number) }
        case (.isIn, .integer, .list(let values)):
            let numbers = Set(values.compactMap { if case .int(let number) = $0 { number } else { nil } })
            guard numbers.count + values.count(where: \.isNull) == values.count else { break }
            let admitsNull = values.contains { $0.isNull }
            return { row in row.integer(slot).map { numbers.contains($0) } ?? admitsNull }
        case (.isIn, .string, .list(let values)) where options.isEmpty:
            let texts = Set(values)
            return { texts.contains($0.value(slot, kind)) }
        case (.isIn, _, _), (.between, _, _): break
        case (_, .string, .string(let text)), (_, .uri, .string(let text)):
            return textTest(op, slot, text, options)
        case (_, .uri, .url(let url)): return textTest(op, slot, url.absoluteString, options)
        default: break
        }
        return { row in ValueTest.compare(row.value(slot, kind), op, constant, options) ?? false }
    }

    private static func textTest(
        _ op: QueryComparison.Operator, _ slot: Int, _ text: String, _ options: QueryComparison.Options
    ) -> ((Row) -> Bool)? {
        guard let test = TextTest(op, text, options) else { return nil }
        let ifNull = op == .notEqual
        return { row in row.bytes(slot).map { test.passes($0) } ?? ifNull }
    }

    private static func nullable(
        _ op: QueryComparison.Operator, _ slot: Int, _ order: @escaping (Row) -> Ordering
    ) -> (Row) -> Bool {
        let ifNull = op == .notEqual
        return { row in row.isNull(slot) ? ifNull : ValueTest.holds(op, order(row)) }
    }

    // MARK: - Objects

    /// Compares the object that a path ends at with IDs.
    private static func objects(_ comparison: ResolvedComparison, _ constant: Value) -> Test {
        let path = comparison.left
        let ids: [Value] = if case .list(let values) = constant { values } else { [constant] }
        let admitsNull = ids.contains { $0.isNull }
        var storeOfReference: [Int64: [String?]] = [:]
        for case .objectID(let id) in ids { storeOfReference[id.reference, default: []].append(id.storeUUID) }
        let negated = comparison.operator == .notEqual
        return { row, resolver in
            var reference: Int64?
            if let end = try follow(path, from: row, resolver) {
                reference = path.leafSlot.map { end.integer($0) } ?? end.reference
            }
            guard let reference else { return admitsNull != negated }
            // A negative reference is a temporary ID's, unique in the process.
            let found = storeOfReference[reference]?.contains { reference < 0 || $0 == resolver.storeUUID } ?? false
            return found != negated
        }
    }

    // MARK: - Two paths

    private static func comparePaths(_ comparison: ResolvedComparison) -> Test {
        guard let right = comparison.right.path else { return { _, _ in false } }
        let (left, op, options) = (comparison.left, comparison.operator, comparison.options)
        func value(_ path: PropertyPath, _ row: Row, _ resolver: any RowResolver) throws -> Value {
            guard let end = try follow(path, from: row, resolver) else { return .null }
            guard let slot = path.leafSlot else { return .int(end.reference) }
            return end.value(slot, path.leafKind)
        }
        return { row, resolver in
            ValueTest.compare(try value(left, row, resolver), op, try value(right, row, resolver), options) ?? false
        }
    }
}
