import StrataModel

extension QueryExpression {
    /// Met where the value equals another; `nil` equals `nil`.
    public static func == (lhs: QueryExpression, rhs: Value?) -> QueryPredicate { .comparison(.init(lhs, .equal, .constant(rhs ?? .null))) }
    /// Met where the value differs from another.
    public static func != (lhs: QueryExpression, rhs: Value?) -> QueryPredicate {
        .comparison(.init(lhs, .notEqual, .constant(rhs ?? .null)))
    }
    /// Met where the value is less; never without a value.
    public static func < (lhs: QueryExpression, rhs: Value) -> QueryPredicate { .comparison(.init(lhs, .less, .constant(rhs))) }
    /// Met where the value is less or equal; never without a value.
    public static func <= (lhs: QueryExpression, rhs: Value) -> QueryPredicate { .comparison(.init(lhs, .lessOrEqual, .constant(rhs))) }
    /// Met where the value is greater; never without a value.
    public static func > (lhs: QueryExpression, rhs: Value) -> QueryPredicate { .comparison(.init(lhs, .greater, .constant(rhs))) }
    /// Met where the value is greater or equal; never without a value.
    public static func >= (lhs: QueryExpression, rhs: Value) -> QueryPredicate { .comparison(.init(lhs, .greaterOrEqual, .constant(rhs))) }

    /// Met where the value is among some.
    public func isIn(_ values: [Value]) -> QueryPredicate { .comparison(.init(self, .isIn, .constant(.list(values)))) }

    /// Met where the value is between two, or one of them.
    public func between(_ low: Value, _ high: Value) -> QueryPredicate {
        .comparison(.init(self, .between, .constant(.list([low, high]))))
    }

    /// Met where the text contains another.
    public func contains(_ text: String, _ options: QueryComparison.Options = []) -> QueryPredicate {
        .comparison(.init(self, .contains, .constant(.string(text)), options))
    }

    /// Met where the text begins with another.
    public func beginsWith(_ text: String, _ options: QueryComparison.Options = []) -> QueryPredicate {
        .comparison(.init(self, .beginsWith, .constant(.string(text)), options))
    }

    /// Met where the text ends with another.
    public func endsWith(_ text: String, _ options: QueryComparison.Options = []) -> QueryPredicate {
        .comparison(.init(self, .endsWith, .constant(.string(text)), options))
    }

    /// Met where the text has a shape: `?` stands for one character, `*` for any number of them.
    public func like(_ pattern: String, _ options: QueryComparison.Options = []) -> QueryPredicate {
        .comparison(.init(self, .like, .constant(.string(pattern)), options))
    }

    /// Met where a regular expression matches the text from end to end.
    public func matches(_ pattern: String, _ options: QueryComparison.Options = []) -> QueryPredicate {
        .comparison(.init(self, .matches, .constant(.string(pattern)), options))
    }
}

extension Key {
    /// The expression of the property's value.
    public var expression: QueryExpression { .keyPath(path) }

    /// A sort key that runs upward.
    public var ascending: QuerySort { QuerySort(path) }

    /// A sort key that runs downward.
    public var descending: QuerySort { QuerySort(path, ascending: false) }
}

extension Key where Value: ValueConvertible {
    /// Met where the value equals another; `nil` equals `nil`.
    public static func == (lhs: Key, rhs: Value?) -> QueryPredicate { lhs.expression == (rhs?.value ?? .null) }
    /// Met where the value differs from another.
    public static func != (lhs: Key, rhs: Value?) -> QueryPredicate { lhs.expression != (rhs?.value ?? .null) }
    /// Met where the value is less; never without a value.
    public static func < (lhs: Key, rhs: Value) -> QueryPredicate { lhs.expression < rhs.value }
    /// Met where the value is less or equal; never without a value.
    public static func <= (lhs: Key, rhs: Value) -> QueryPredicate { lhs.expression <= rhs.value }
    /// Met where the value is greater; never without a value.
    public static func > (lhs: Key, rhs: Value) -> QueryPredicate { lhs.expression > rhs.value }
    /// Met where the value is greater or equal; never without a value.
    public static func >= (lhs: Key, rhs: Value) -> QueryPredicate { lhs.expression >= rhs.value }

    /// Met where the value is among some.
    public func isIn(_ values: some Sequence<Value>) -> QueryPredicate { expression.isIn(values.map(\.value)) }

    /// Met where the value is in a closed range.
    public func between(_ range: ClosedRange<Value>) -> QueryPredicate where Value: Comparable {
        expression.between(range.lowerBound.value, range.upperBound.value)
    }
}

extension Key where Value == String {
    /// Met where the text contains another.
    public func contains(_ text: String, _ options: QueryComparison.Options = []) -> QueryPredicate { expression.contains(text, options) }
    /// Met where the text begins with another.
    public func beginsWith(_ text: String, _ options: QueryComparison.Options = []) -> QueryPredicate { expression.beginsWith(text, options) }
    /// Met where the text ends with another.
    public func endsWith(_ text: String, _ options: QueryComparison.Options = []) -> QueryPredicate { expression.endsWith(text, options) }
    /// Met where the text has a shape: `?` stands for one character, `*` for any number of them.
    public func like(_ pattern: String, _ options: QueryComparison.Options = []) -> QueryPredicate { expression.like(pattern, options) }
    /// Met where a regular expression matches the text from end to end.
    public func matches(_ pattern: String, _ options: QueryComparison.Options = []) -> QueryPredicate { expression.matches(pattern, options) }
}
