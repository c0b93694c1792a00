/// Lists as sets: values of equal magnitude are one element, the first one.
enum ValueList {
    /// Returns the distinct values of a list; NaN is one value.
    static func distinct(_ values: [Value]) -> [Value] {
        var seen: Set<Value> = []
        return values.filter { seen.insert($0.distinctKey).inserted }
    }

    /// Returns the elements of a list; none of nil, and any other value itself.
    static func elements(of value: Value) -> [Value] {
        switch value {
        case .list(let values): values
        case .null: []
        default: [value]
        }
    }

    /// Combines two lists to one of distinct values; nil where one of them is no list.
    static func combine(_ operation: QueryExpression.SetOperation, _ a: Value, _ b: Value) -> Value {
        guard case .list(let a) = a, case .list(let b) = b else { return .null }
        if operation == .union { return .list(distinct(a + b)) }
        let others = Set(b.map { $0.distinctKey })
        let isKept = operation == .intersect
        return .list(distinct(a).filter { others.contains($0.distinctKey) == isKept })
    }
}
