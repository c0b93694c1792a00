import StrataEvaluation
import StrataModel
import StrataQuery

/// The functions of expressions by name.
enum ExpressionFunction {
    /// The distinct elements of a collection; the format language has no word for it.
    static let distinct = "distinct:"
    /// The selectors of a key path as a function of its operand.
    static let pathSelectors = ["valueForKeyPath:", "valueForKey:"]

    static func exists(_ name: String) -> Bool {
        name == distinct || pathSelectors.contains(name) || QueryFunction(selector: name) != nil || QueryFunctionTable.function(name) != nil
    }

    /// Returns the function of some arguments as a part of a query.
    static func tree(_ name: String, _ arguments: [QueryExpression]) -> QueryExpression {
        if name == distinct, let first = arguments.first { return .combined(.union, first, .constant(.list([]))) }
        if pathSelectors.contains(name), arguments.count == 2, case .constant(.string(let path)) = arguments[1] {
            return .path(arguments[0], path)
        }
        guard let function = QueryFunction(selector: name) else {
            return .custom(arguments.first ?? .constant(.null), name, Array(arguments.dropFirst()))
        }
        if function.chain != nil, arguments.count == 2 { return .chain(arguments[0], function, arguments[1]) }
        return .function(function, arguments)
    }

    static func value(_ name: String, _ arguments: [Operand]) -> Operand {
        if name == distinct { return Operand(list: Operand.distinct(arguments.flatMap { $0.elements ?? [$0] })) }
        if pathSelectors.contains(name), arguments.count == 2, case .string(let path)? = arguments[1].value {
            return arguments[0].value(forKeyPath: path)
        }
        guard let function = QueryFunction(selector: name) else { return custom(name, arguments) }
        switch function {
        case .now: return .value(.date(Date()))
        case .noIndex, .indexedBy: return arguments.first ?? .null
        case .count: return .value(.int(Int64(Operand.flattened(arguments).count)))
        case .random where arguments.isEmpty: return .value(.double(Double.random(in: 0..<1)))
        case .random: return arguments.flatMap { $0.elements ?? [$0] }.randomElement() ?? .null
        case .joined: return Operand(list: arguments.flatMap { $0.elements ?? [$0] })
        case .objectAt: return element(arguments)
        case .sum, .average, .min, .max, .median, .mode, .standardDeviation: return Operand.apply(function, arguments)
        default: return .value(function.value(of: arguments.map { $0.value ?? .null }))
        }
    }

    private static func element(_ arguments: [Operand]) -> Operand {
        guard arguments.count == 2 else { return .null }
        if case .object(let any) = arguments[0], let keyed = any as? any KeyedValues, case .string(let key)? = arguments[1].value {
            return Operand(keyed.member(key))
        }
        guard let elements = arguments[0].elements, case .int(let number)? = arguments[1].value, let index = Int(exactly: number),
            elements.indices.contains(index)
        else { return .null }
        return elements[index]
    }

    private static func custom(_ name: String, _ arguments: [Operand]) -> Operand {
        guard let function = QueryFunctionTable.function(name) else {
            programmerError("Unknown function: \(name) (register it with QueryFunctionTable)")
        }
        do { return .value(try function(arguments.map { $0.value ?? .null })) } catch {
            programmerError("The function \(name) failed: \(error)")
        }
    }
}
