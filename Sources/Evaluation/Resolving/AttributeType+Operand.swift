import StrataText

extension AttributeType {
    /// Converts a number for a comparison with an attribute of this type: to the attribute's own kind where that loses
    /// nothing, so that indexes can answer it.
    ///
    /// A fraction for a `float` is rounded as in storing it, so that 0.1 finds 0.1.
    ///
    /// - Parameter op: The operator: equality or an order.
    /// - Returns: `nil` where the type or the value is not a number.
    func operand(_ value: Value, of op: QueryComparison.Operator) -> Value? {
        guard isNumeric else { return nil }
        switch (self, value) {
        case (_, .bool(let flag)): return operand(.int(flag ? 1 : 0), of: op)
        case (.double, .int(let number)), (.float, .int(let number)): return .double(AttributeType.double(for: number, op))
        case (.double, .decimal(let number)), (.float, .decimal(let number)):
            if number.isNaN { return .double(.nan) }
            if let whole = number.wholeNumber { return operand(.int(whole), of: op) }
            guard case .double(let nearest)? = AttributeType.double.coerce(value), Decimal(string: nearest.description) == number else {
                return value
            }
            return operand(.double(nearest), of: op)
        case (.float, .double(let number)):
            let rounded = Double(Float(number))
            let isHeld = rounded.isFinite == number.isFinite && (rounded == 0) == (number == 0)
            return .double(isHeld ? rounded : number)
        case (.decimal, .int), (.decimal, .double): return coerce(value) ?? value
        case (_, .int), (_, .double), (_, .decimal): return value
        default: return nil
        }
    }

    /// Returns a double that compares with doubles as an integer does: the integer itself, or else a neighbour; for
    /// equality NaN, as no double equals such an integer.
    private static func double(for number: Int64, _ op: QueryComparison.Operator) -> Double {
        if let exact = Double(exactly: number) { return exact }
        let nearest = Double(number)
        let isAbove = Value.int(number).compare(.double(nearest)) == .less
        return switch op {
        case .less, .greaterOrEqual: isAbove ? nearest : nearest.nextUp
        case .lessOrEqual, .greater: isAbove ? nearest.nextDown : nearest
        default: .nan
        }
    }
}
