extension NSExpression {
    /// The kinds of expressions, with Core Data's raw values.
    public enum ExpressionType: UInt, Sendable {
        /// A constant.
        case constantValue = 0
        /// The object that is tested, `SELF`.
        case evaluatedObject = 1
        /// A variable, `$name`.
        case variable = 2
        /// A key path.
        case keyPath = 3
        /// A function of other expressions.
        case function = 4
        /// The union of two collections.
        case unionSet = 5
        /// The intersection of two collections.
        case intersectSet = 6
        /// The elements of one collection that are not in another.
        case minusSet = 7
        /// A variable with a value for the rest of the predicate, `$x := expression`.
        case variableAssignment = 12
        /// The elements of a collection that meet a condition.
        case subquery = 13
        /// Several expressions as one collection, `{a, b}`.
        case aggregate = 14
        /// Any attribute, `ANYKEY`.
        case anyKey = 15
        /// A closure.
        case block = 19
        /// One of two expressions.
        case conditional = 20
        /// The result of a fetch; `NSFetchRequestExpressionType` on Apple's systems.
        case fetchRequest = 50
    }
}
