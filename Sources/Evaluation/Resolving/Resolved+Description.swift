import StrataText

extension PropertyPath: CustomStringConvertible {
    /// The path in the format language; the element of a collection is a variable, `$v1`.
    public var description: String {
        if variable == 0 { return isObject ? "SELF" : text }
        return isObject ? "$v\(variable)" : "$v\(variable).\(text)"
    }

    fileprivate var isObject: Bool { text.isEmpty || text == "SELF" || text == "self" }
}

extension ResolvedPredicate: CustomStringConvertible {
    /// The predicate in the format language.
    public var description: String {
        switch self {
        case .constant(let truth): truth ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .and(let parts): parts.isEmpty ? "TRUEPREDICATE" : parts.map(\.grouped).joined(separator: " AND ")
        case .or(let parts): parts.isEmpty ? "FALSEPREDICATE" : parts.map(\.grouped).joined(separator: " OR ")
        case .not(let part): "NOT \(part.grouped)"
        case .comparison(let comparison): comparison.description
        case .test(let test): test.description
        case .exists(let collection): collection.existence
        }
    }

    private var grouped: String {
        switch self {
        case .and, .or: "(\(description))"
        default: description
        }
    }
}

extension ResolvedComparison: CustomStringConvertible {
    /// The comparison in the format language.
    public var description: String { "\(left) \(`operator`.text(options)) \(right)" }
}

extension ResolvedTest: CustomStringConvertible {
    /// The comparison in the format language.
    public var description: String {
        "\(modifier == .direct ? "" : modifier.rawValue + " ")\(left) \(`operator`.text(options)) \(right)"
    }
}

extension ResolvedOperand: CustomStringConvertible {
    /// The operand in the format language.
    public var description: String {
        switch self {
        case .path(let path): path.description
        case .constant(let value): value.shortened
        }
    }
}

extension ResolvedSort: CustomStringConvertible {
    /// The key, with a minus before it where the order runs downward.
    public var description: String { (ascending ? "" : "-") + path.description }
}

extension ResolvedExpression: CustomStringConvertible {
    /// The expression in the format language.
    public var description: String {
        switch self {
        case .constant(let value): value.shortened
        case .path(let path): path.description
        case .entityName(let path, _): path.description
        case .aggregate(.countDistinct, let collection, let value): "\(collection.end(value)).@distinctUnionOfObjects.@count"
        case .aggregate(let function, let collection, let value): "\(collection.end(value)).@\(function.operatorName)"
        case .element(let collection, let position, let value):
            "\(collection)[\(position)]" + collection.names(of: value).map { "." + $0 }.joined()
        case .values(let collection, let value, let isDistinct):
            "\(collection.end(value)).@\(isDistinct ? "distinctUnionOfObjects" : "unionOfObjects")"
        case .function(let function, let arguments): ResolvedExpression.call(function, arguments)
        case .custom(let selector, _, let arguments):
            "FUNCTION(\(ResolvedExpression.joined(arguments.prefix(1) + [.constant(.string(selector))] + arguments.dropFirst())))"
        case .conditional(let condition, let a, let b): "TERNARY(\(condition), \(a), \(b))"
        case .list(let elements): "{\(ResolvedExpression.joined(elements))}"
        case .combined(let operation, let a, let b): "(\(a) \(operation.rawValue) \(b))"
        case .column(let index): "$column\(index)"
        }
    }

    private static func joined(_ expressions: some Sequence<ResolvedExpression>) -> String {
        expressions.map(\.description).joined(separator: ", ")
    }

    private static func call(_ function: QueryFunction, _ arguments: [ResolvedExpression]) -> String {
        if arguments.count >= 2, function.sign != nil {
            let links = arguments.dropFirst().map { $0.link(in: function) }
            return "(" + links.reduce(into: arguments[0].description) { $0 += ($1.function.sign ?? " %% ") + $1.operand.description } + ")"
        }
        return "\(function == .cast ? "CAST" : function.rawValue)(\(joined(arguments)))"
    }
}

extension ResolvedPosition: CustomStringConvertible {
    public var description: String {
        switch self {
        case .first: "FIRST"
        case .last: "LAST"
        case .at(let index): index.description
        }
    }
}

extension ResolvedCollection: CustomStringConvertible {
    /// The collection in the format language.
    public var description: String { filter.map { "SUBQUERY(\(path), $v\(variable), \($0))" } ?? path }

    /// Returns the path to a value of each element; without one, to the elements.
    fileprivate func end(_ value: ResolvedExpression?) -> String {
        ([description] + (value.map(names) ?? [])).joined(separator: ".")
    }

    /// Returns the path from an element to a value of it; empty for the element itself.
    fileprivate func names(of value: ResolvedExpression) -> [String] {
        switch value {
        case .path(let path), .entityName(let path, _): path.isObject ? [] : [path.text]
        default: [value.description]
        }
    }

    /// The existence test; `ANY` for one comparison of its elements.
    fileprivate var existence: String {
        if case .comparison(let comparison) = filter, comparison.left.variable == variable, comparison.right.path == nil {
            let isObject = comparison.left.steps.isEmpty && comparison.left.leafSlot == nil
            let end = isObject ? path : "\(path).\(comparison.left.text)"
            return "ANY \(end) \(comparison.operator.text(comparison.options)) \(comparison.right)"
        }
        return "\(self).@count > 0"
    }

    private var path: String {
        let names = steps.map(\.relationship.name)
        switch origin {
        case .variable(0): return names.joined(separator: ".")
        case .variable(let variable): return (["$v\(variable)"] + names).joined(separator: ".")
        case .collection(let collection): return ([collection.description] + names).joined(separator: ".")
        }
    }
}

extension Value {
    /// The description; of a long list only its beginning.
    fileprivate var shortened: String {
        guard case .list(let values) = self, values.count > 8 else { return description }
        return "{\(values.prefix(6).map(\.description).joined(separator: ", ")), … \(values.count) values}"
    }
}

extension QueryComparison.Operator {
    fileprivate func text(_ options: QueryComparison.Options) -> String {
        let letters: [(QueryComparison.Options, String)] = [
            (.caseInsensitive, "c"), (.diacriticInsensitive, "d"), (.normalized, "n"), (.localeSensitive, "l"),
        ]
        let flags = letters.filter { options.contains($0.0) }.map(\.1).joined()
        return flags.isEmpty ? rawValue : "\(rawValue)[\(flags)]"
    }
}

extension AggregateFunction {
    fileprivate var operatorName: String {
        switch self {
        case .average: "avg"
        case .standardDeviation: "stddev"
        case .count, .sum, .min, .max, .countDistinct, .median: rawValue
        }
    }
}
