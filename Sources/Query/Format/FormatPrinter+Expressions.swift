import StrataModel

extension FormatPrinter {
    mutating func print(_ expression: QueryExpression) {
        guard enter() else { return }
        defer { leave() }
        switch expression {
        case .constant(let value): print(value)
        case .evaluatedObject: append("SELF")
        case .variable(let name): printVariable(name)
        case .keyPath(let path): printPath(path)
        case .path(let base, let path):
            print(base, within: nil)
            append(".")
            printPath(path)
        case .list(let elements): print(elements, from: "{", to: "}")
        case .function(let function, let arguments): print(function, arguments)
        case .custom(let target, let selector, let arguments):
            print([target, .constant(.string(selector))] + arguments, from: "FUNCTION(", to: ")")
        case .conditional(let condition, let first, let second):
            append("TERNARY(")
            print(condition)
            append(", ")
            print([first, second], from: "", to: ")")
        case .subquery(let collection, let variable, let condition):
            append("SUBQUERY(")
            print(collection)
            append(", ")
            printVariable(variable)
            append(", ")
            print(condition)
            append(")")
        case .combined(let operation, let left, let right):
            print(left, within: .combined)
            append(" \(operation.rawValue) ")
            print(right, within: .sum)
        case .element(let base, let position):
            switch base {
            case .keyPath, .path: print(base)
            default: print(base, within: nil)
            }
            print(position)
        case .assignment(let name, let value):
            printVariable(name)
            append(" := ")
            print(value)
        case .anyKey: append("ANYKEY")
        case .fetch(let fetch):
            append("FETCH(")
            append(FormatPrinter.quote(fetch.entityName))
            append(", ")
            if let predicate = fetch.predicate { printQuoted(predicate) } else { append("NULL") }
            append(fetch.countOnly ? ", YES)" : ", NO)")
        }
    }

    private mutating func print(_ position: QueryExpression.Position) {
        append("[")
        switch position {
        case .first: append("FIRST")
        case .last: append("LAST")
        case .size: append("SIZE")
        case .at(let index): print(index)
        }
        append("]")
    }

    private mutating func print(_ elements: [QueryExpression], from start: String, to end: String) {
        append(start)
        for (index, element) in elements.enumerated() {
            if index > 0 { append(", ") }
            print(element)
        }
        append(end)
    }

    private mutating func print(_ function: QueryFunction, _ arguments: [QueryExpression]) {
        if function.sign != nil, let chain = OperatorChain(function, arguments) {
            print(chain, of: function)
        } else if function == .negate, arguments.count == 1 {
            append("-")
            // A number would include the sign.
            print(arguments[0], within: arguments[0].isNumber ? nil : .unary)
        } else {
            print(arguments, from: function == .cast ? "CAST(" : function.rawValue + "(", to: ")")
        }
    }

    private mutating func print(_ chain: OperatorChain, of function: QueryFunction) {
        // Without parentheses, a chain as the first operand would be part of this one.
        let minimum = FormatInfix.Kind.arithmetic(function).precedence.next
        print(chain.first, within: minimum)
        for (joining, operand) in chain.links {
            append(joining.linkSign)
            guard joining != function else {
                print(operand, within: minimum)
                continue
            }
            // Marked by its operator, it is a level lower.
            guard enter() else { continue }
            print(operand, within: minimum)
            leave()
        }
    }

    /// Prints an operand, in parentheses where its precedence is below a minimum; `nil` for an atom.
    private mutating func print(_ expression: QueryExpression, within minimum: FormatPrecedence?) {
        let isGrouped = minimum.map { expression.precedence < $0 } ?? !expression.isClosed
        if isGrouped { append("(") }
        print(expression)
        if isGrouped { append(")") }
    }
}

extension QueryExpression {
    /// The precedence of the printed form as an operand.
    fileprivate var precedence: FormatPrecedence {
        switch self {
        case .combined: .combined
        case .function(let function, _) where isChain: FormatInfix.Kind.arithmetic(function).precedence
        // It would include the operators that follow.
        case .assignment: .or
        default: .unary
        }
    }

    fileprivate var isChain: Bool {
        if case .function(let function, let arguments) = self { arguments.count >= 2 && function.sign != nil } else { false }
    }

    /// Whether a path after the printed form applies to all of it.
    fileprivate var isClosed: Bool {
        switch self {
        case .keyPath, .path, .combined, .assignment: false
        case .function(let function, let arguments): !isChain && !(function == .negate && arguments.count == 1)
        default: !isNumber
        }
    }

    fileprivate var isNumber: Bool {
        switch self {
        case .constant(.int): true
        case .constant(.double(let number)): number.isFinite
        default: false
        }
    }
}

extension QueryFunction {
    /// The operator of the function, between operands.
    package var sign: String? {
        switch self {
        case .add: " + "
        case .subtract: " - "
        case .multiply: " * "
        case .divide: " / "
        case .raise: " ** "
        default: nil
        }
    }

    var linkSign: String { sign ?? " %% " }
}
