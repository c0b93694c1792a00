import StrataEvaluation
import StrataModel
import StrataQuery

extension Operand {
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
