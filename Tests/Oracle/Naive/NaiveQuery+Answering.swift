extension NaiveQuery {
    /// The tags that a graph answers, in the order of the request where it has one.
    func answer(_ graph: NaiveGraph) -> [Int] {
        var tags = graph.objects.keys.filter { tag in
            guard let object = graph.objects[tag] else { return false }
            return graph.schema.isKind(object.kind, of: kind) && meets(condition, object, graph)
        }.sorted()
        guard isSorted else { return tags }
        func number(_ tag: Int) -> Int { graph.objects[tag]?.values[0] ?? Int.min }
        tags.sort { (number($0), $0) < (number($1), $1) }
        return Array(tags.dropFirst(offset).prefix(limit ?? tags.count))
    }

    private func compare(_ number: Int?, _ comparison: Comparison, _ other: Int) -> Bool {
        guard let number else { return false }
        switch comparison {
        case .less: return number < other
        case .equal: return number == other
        case .greater: return number > other
        }
    }

    private func meets(_ condition: Condition, _ object: NaiveObject, _ graph: NaiveGraph) -> Bool {
        switch condition {
        case .all: true
        case .number(let comparison, let other): compare(object.values[0], comparison, other)
        case .code(let code): object.values[1] == code
        case .leadsSomewhere(let end, let does): object[end].isEmpty != does
        case .count(let end, let comparison, let other): compare(object[end].count, comparison, other)
        case .any(let end, let comparison, let other):
            object[end].contains { compare(graph.objects[$0]?.values[0], comparison, other) }
        case .and(let a, let b): meets(a, object, graph) && meets(b, object, graph)
        case .or(let a, let b): meets(a, object, graph) || meets(b, object, graph)
        case .not(let a): !meets(a, object, graph)
        }
    }

    /// The condition in the format language.
    func format(_ condition: Condition, _ schema: Schema) -> String {
        switch condition {
        case .all: "TRUEPREDICATE"
        case .number(let comparison, let other): "number \(comparison.rawValue) \(other)"
        case .code(let code): code.map { "code == 'é\($0)'" } ?? "code == nil"
        case .leadsSomewhere(let end, let does): "\(schema.ends[end].name) \(does ? "!=" : "==") nil"
        case .count(let end, let comparison, let other): "\(schema.ends[end].name).@count \(comparison.rawValue) \(other)"
        case .any(let end, let comparison, let other): "ANY \(schema.ends[end].name).number \(comparison.rawValue) \(other)"
        case .and(let a, let b): "(\(format(a, schema))) AND (\(format(b, schema)))"
        case .or(let a, let b): "(\(format(a, schema))) OR (\(format(b, schema)))"
        case .not(let a): "NOT (\(format(a, schema)))"
        }
    }
}
