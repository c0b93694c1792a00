extension EvaluationScope {
    func compile(_ function: QueryFunction, _ arguments: [ResolvedExpression]) -> CompiledValue {
        let compute = call(function, arguments)
        let isConstant = arguments.allSatisfy { if case .constant = $0 { true } else { false } }
        guard isConstant, function.isConstant, let value = try? compute(NoRows.row, NoRows()) else { return compute }
        return { _, _ in value }
    }

    private func call(_ function: QueryFunction, _ arguments: [ResolvedExpression]) -> CompiledValue {
        if arguments.count == 2, function == .cast, case .constant(.string(let name)) = arguments[1] {
            guard let type = Cast(name) else { return { _, _ in .null } }
            let value = compile(arguments[0])
            return { try type.apply(value($0, $1)) }
        }
        if let part = function.datePart, case .constant(.string(let name))? = arguments.last, let zone = ZoneRules.named(name) {
            let date = compile(arguments[0])
            return { part.value(of: try date($0, $1), in: zone) }
        }
        if let unary = function.unary, arguments.count == 1 {
            let value = compile(arguments[0])
            return { try unary(value($0, $1)) }
        }
        if let binary = function.binary, arguments.count == 2 {
            let (a, b) = (compile(arguments[0]), compile(arguments[1]))
            return { try binary(a($0, $1), b($0, $1)) }
        }
        if let binary = function.binary, let first = arguments.first, function.takes(arguments.count) {
            let start = compile(first)
            let links = arguments.dropFirst().map { argument in
                let (joining, operand) = argument.link(in: function)
                return (function: joining.binary ?? binary, operand: compile(operand))
            }
            return { row, resolver in
                try links.reduce(start(row, resolver)) { try $1.function($0, $1.operand(row, resolver)) }
            }
        }
        switch function {
        case .now:
            let now = Value.date(frame.now)
            return { _, _ in now }
        case .random where arguments.isEmpty: return { _, _ in .double(Double.random(in: 0..<1)) }
        default: return overValues(arguments) { try function.value(ofList: $0) }
        }
    }

    /// Returns a function of all arguments, with the elements of lists as arguments of their own.
    private func overValues(_ arguments: [ResolvedExpression], _ function: @escaping ([Value]) throws -> Value) -> CompiledValue {
        let arguments = arguments.map(compile)
        return { row, resolver in
            var values: [Value] = []
            for argument in arguments {
                let value = try argument(row, resolver)
                if case .list(let elements) = value { values += elements } else { values.append(value) }
            }
            return try function(values)
        }
    }
}
