import StrataModel

// STUB until the evaluator lands
extension RowExpression {
    public func value(tuple: [Value]) throws -> Value {
        RowExpression.interpret(source, tuple)
    }
    static func interpret(_ e: ResolvedExpression, _ tuple: [Value]) -> Value {
        switch e {
        case .column(let c): tuple[c]
        case .constant(let v): v
        case .function(.divide, let a): 
            switch (interpret(a[0], tuple), interpret(a[1], tuple)) {
            case (.int(let x), .int(let y)): y == 0 ? .null : .int(x / y)
            case (.double(let x), .int(let y)): y == 0 ? .null : .double(x / Double(y))
            default: .null
            }
        default: .null
        }
    }
}
extension RowPredicate {
    public func passes(tuple: [Value]) throws -> Bool { RowPredicate.interpret(source, tuple) }
    static func interpret(_ p: ResolvedPredicate, _ tuple: [Value]) -> Bool {
        switch p {
        case .constant(let t): t
        case .and(let parts): parts.allSatisfy { interpret($0, tuple) }
        case .or(let parts): parts.contains { interpret($0, tuple) }
        case .not(let part): !interpret(part, tuple)
        case .test(let t):
            ValueTest.compare(RowExpression.interpret(t.left, tuple), t.operator, RowExpression.interpret(t.right, tuple), t.options) ?? false
        default: false
        }
    }
}
