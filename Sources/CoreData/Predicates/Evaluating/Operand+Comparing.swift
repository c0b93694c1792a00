import StrataEvaluation
import StrataModel
import StrataQuery
import StrataText
import Synchronization

extension Operand {
    /// Returns whether two operands are equal: values as in queries, other objects by their own equality.
    func isEqual(to other: Operand, _ options: QueryComparison.Options = []) -> Bool {
        if let value, let otherValue = other.value { return Operand.holds(value, .equal, otherValue, options) }
        if case .object(let a) = self, case .object(let b) = other { return Operand.areEqual(a, b) }
        guard let elements, let others = other.elements, elements.count == others.count else { return false }
        return zip(elements, others).allSatisfy { $0.isEqual(to: $1, options) }
    }

    private static func areEqual(_ a: Any, _ b: Any) -> Bool {
        if let a = a as? AnyHashable, let b = b as? AnyHashable { return a == b }
        if type(of: a) is AnyClass, type(of: b) is AnyClass { return (a as AnyObject) === (b as AnyObject) }
        return false
    }

    /// Returns whether a comparison holds; false if the operator does not apply to operands of these types.
    func compares(_ op: QueryComparison.Operator, _ other: Operand, _ options: QueryComparison.Options) -> Bool {
        if let value, let otherValue = other.value { return Operand.holds(value, op, otherValue, options) }
        switch op {
        case .equal: return isEqual(to: other, options)
        case .notEqual: return !isEqual(to: other, options)
        case .isIn: return other.elements?.contains { isEqual(to: $0, options) } ?? false
        case .contains: return elements?.contains { other.isEqual(to: $0, options) } ?? false
        case .less, .lessOrEqual, .greater, .greaterOrEqual: return ValueTest.holds(op, order(other))
        case .between:
            guard let bounds = other.elements, bounds.count == 2 else { return false }
            return compares(.greaterOrEqual, bounds[0], options) && compares(.lessOrEqual, bounds[1], options)
        case .beginsWith, .endsWith, .like, .matches: return false
        }
    }

    private static func holds(_ left: Value, _ op: QueryComparison.Operator, _ right: Value, _ options: QueryComparison.Options) -> Bool {
        do { return try ValueTest.holds(left, op, right, options: options) } catch { refuse(error) }
    }

    /// Traps because of an invalid pattern.
    static func refuse(_ error: any Error) -> Never {
        let reason = (error as? QueryError).map { "\($0.message) (pattern \($0.subject))" } ?? "\(error)"
        programmerError("Can't do regex matching, reason: \(reason)")
    }

    /// Returns the order of two operands in predicates.
    func order(_ other: Operand) -> Ordering {
        if let value, let otherValue = other.value { return value.compare(otherValue) }
        guard case .object(let a) = self, case .object(let b) = other, let a = a as? any Comparable else { return .unordered }
        return Operand.order(a, b)
    }

    /// Returns the order of two operands in sorting: nil comes first.
    func sortOrder(_ other: Operand, _ options: QueryComparison.Options) -> Ordering {
        if isNull || other.isNull { return Ordering(isNull ? 0 : 1, other.isNull ? 0 : 1) }
        guard let value, let otherValue = other.value else {
            let ordering = order(other)
            return ordering == .unordered ? .equal : ordering
        }
        guard TextOrder.preparesText(options), let a = value.text, let b = otherValue.text else { return value.sortOrder(otherValue) }
        let (x, y) = (Operand.key(a, options), Operand.key(b, options))
        return x.lexicographicallyPrecedes(y) ? .less : x == y ? .equal : .greater
    }

    private static func key(_ text: String, _ options: QueryComparison.Options) -> [UInt8] {
        options.collates ? Collation(options).key(text) : Array(TextFolding.fold(text, options).utf8)
    }

    private static func order<T: Comparable>(_ a: T, _ b: Any) -> Ordering {
        guard let b = b as? T else { return .unordered }
        return a < b ? .less : b < a ? .greater : .equal
    }

    /// Returns the value of a collection operator, without `@`, for elements' values; `nil` for an unknown operator.
    static func collect(_ name: String, _ operands: [Operand]) -> Operand? {
        switch name {
        case "count": return .value(.int(Int64(operands.count)))
        case "sum": return apply(.sum, operands)
        case "avg", "average": return apply(.average, operands)
        case "min": return apply(.min, operands)
        case "max": return apply(.max, operands)
        case "unionOfObjects": return Operand(list: operands.filter { !$0.isNull })
        case "distinctUnionOfObjects": return Operand(list: distinct(operands.filter { !$0.isNull }))
        case "unionOfArrays", "unionOfSets": return Operand(list: flattened(operands))
        case "distinctUnionOfArrays", "distinctUnionOfSets": return Operand(list: distinct(flattened(operands)))
        case "firstObject": return operands.first ?? .null
        case "lastObject": return operands.last ?? .null
        case "allObjects", "allValues": return Operand(list: operands)
        default: return nil
        }
    }

    /// Returns the value of a collection operator for no elements.
    static func none(of name: String) -> Operand { collect(String(name.dropFirst()), []) ?? .null }

    /// Returns the value of a function; arguments of other types are ignored.
    static func apply(_ function: QueryFunction, _ operands: [Operand]) -> Operand {
        .value(function.value(of: flattened(operands).compactMap(\.value)))
    }

    /// Returns the operands with collections replaced by their elements.
    static func flattened(_ operands: [Operand]) -> [Operand] {
        operands.flatMap { operand in operand.elements.map(flattened) ?? (operand.isNull ? [] : [operand]) }
    }

    /// Returns the distinct operands, in the order of their first occurrence.
    static func distinct(_ operands: [Operand]) -> [Operand] {
        var seen = AggregatePartial()
        var others: [Operand] = []
        return operands.filter { operand in
            if !operand.isNull, let value = operand.value {
                let count = seen.distinct.count
                seen.add(value, for: .countDistinct)
                return seen.distinct.count > count
            }
            if others.contains(where: { $0.isEqual(to: operand) }) { return false }
            others.append(operand)
            return true
        }
    }

    static func combine(_ operation: QueryExpression.SetOperation, _ a: Operand, _ b: Operand) -> Operand {
        guard let a = a.elements, let b = b.elements else { return .null }
        if operation == .union { return Operand(list: distinct(a + b)) }
        let isKept = operation == .intersect
        return Operand(list: distinct(a).filter { element in b.contains { $0.isEqual(to: element) } == isKept })
    }
}

/// A test of texts against a constant, prepared at its first use: preparing a pattern costs more than matching it.
final class PreparedText: Sendable {
    private let op: QueryComparison.Operator
    private let pattern: String
    private let options: QueryComparison.Options
    private let test = Mutex<TextTest?>(nil)

    /// Creates a test; `nil` for a comparison with anything but a constant text.
    init?(_ op: QueryComparison.Operator?, _ right: NSExpression, _ options: QueryComparison.Options) {
        switch op {
        case .matches, .like, .beginsWith, .endsWith, .contains: break
        default: return nil
        }
        guard let op, case .constant(_, let operand) = right.content, case .string(let pattern)? = operand.value else { return nil }
        self.op = op
        self.pattern = pattern
        self.options = options
    }

    /// Returns whether a text passes; throws for an invalid pattern.
    func passes(_ text: String) throws -> Bool {
        try test.withLock { test in
            let prepared = try test ?? TextTest(op, pattern, options: options)
            test = prepared
            return try prepared?.passes(text) ?? false
        }
    }
}
