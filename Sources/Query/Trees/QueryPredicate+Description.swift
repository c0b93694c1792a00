import StrataModel

extension QueryPredicate: CustomStringConvertible {
    public var description: String {
        switch self {
        case .constant(let truth): truth ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .and(let parts): parts.isEmpty ? "TRUEPREDICATE" : parts.map { $0.grouped }.joined(separator: " AND ")
        case .or(let parts): parts.isEmpty ? "FALSEPREDICATE" : parts.map { $0.grouped }.joined(separator: " OR ")
        case .not(let part): "NOT \(part.grouped)"
        case .comparison(let comparison): comparison.description
        }
    }

    private var grouped: String {
        switch self {
        case .comparison, .constant, .not: description
        case .and, .or: "(\(description))"
        }
    }
}

extension QueryComparison: CustomStringConvertible {
    public var description: String {
        var flags = ""
        if options.contains(.caseInsensitive) { flags += "c" }
        if options.contains(.diacriticInsensitive) { flags += "d" }
        return "\(left) \(`operator`.rawValue)\(flags.isEmpty ? "" : "[\(flags)]") \(right)"
    }
}

extension QueryExpression: CustomStringConvertible {
    public var description: String {
        switch self {
        case .constant(let value): value.description
        case .keyPath(let path): path
        case .evaluatedObject: "SELF"
        default: ""
        }
    }
}
