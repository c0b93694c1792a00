import StrataEvaluation
public import StrataModel
public import StrataQuery

/// A named value that a dictionary fetch answers of each object, or of each group of objects.
///
/// ```swift
/// request.propertiesToFetch = [
///     "productLine",
///     ExpressionDescription(name: "SoldCount", expression: .keyPath("@sum.sold"), resultType: .integer32),
/// ]
/// ```
/// A string literal is the value at the end of a key path, under the path as its name: an attribute, one reached
/// through to-one relationships, a to-one relationship, or `SELF`. Relationships and `SELF` are answered as IDs.
public struct ExpressionDescription: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The name of the value in the dictionaries.
    public var name: String
    /// What to compute: of each object, or of each group where there are aggregates.
    public var expression: QueryExpression
    /// The type that the value is converted to: numbers round toward zero, values to text as by `CAST`; `nil` for none.
    public var resultType: AttributeType?

    /// Creates an expression and the name that dictionaries hold its value under.
    public init(name: String, expression: QueryExpression, resultType: AttributeType? = nil) {
        self.name = name
        self.expression = expression
        self.resultType = resultType
    }

    /// Creates the value at the end of a key path, under the path as its name.
    public init(_ keyPath: String) {
        let isObject = keyPath == "SELF" || keyPath == "self"
        self.init(name: keyPath, expression: isObject ? .evaluatedObject : .keyPath(keyPath))
    }

    /// Creates the value at the end of a key path, under the path as its name.
    public init(stringLiteral keyPath: String) { self.init(keyPath) }
}

extension ExpressionDescription {
    /// Returns the number of objects of a group.
    public static func count(as name: String = "count") -> ExpressionDescription {
        ExpressionDescription(name: name, expression: .function(.count, [.evaluatedObject]))
    }

    /// Returns the number of a group's objects that have a value.
    public static func count(_ keyPath: String, as name: String? = nil) -> ExpressionDescription {
        aggregate(.count, "count", keyPath, name)
    }
    /// Returns the number of different values in a group.
    public static func countDistinct(_ keyPath: String, as name: String? = nil) -> ExpressionDescription {
        ExpressionDescription(name: name ?? "countDistinct_\(keyPath)", expression: .keyPath("@distinctUnionOfObjects.\(keyPath).@count"))
    }
    /// Returns the sum of a group's values, 0 of none.
    public static func sum(_ keyPath: String, as name: String? = nil) -> ExpressionDescription { aggregate(.sum, "sum", keyPath, name) }
    /// Returns the mean of a group's values, nil of none.
    public static func average(_ keyPath: String, as name: String? = nil) -> ExpressionDescription {
        aggregate(.average, "average", keyPath, name)
    }
    /// Returns the least of a group's values, nil of none.
    public static func min(_ keyPath: String, as name: String? = nil) -> ExpressionDescription { aggregate(.min, "min", keyPath, name) }
    /// Returns the greatest of a group's values, nil of none.
    public static func max(_ keyPath: String, as name: String? = nil) -> ExpressionDescription { aggregate(.max, "max", keyPath, name) }
    /// Returns the value in the middle of a group's values, nil of none.
    public static func median(_ keyPath: String, as name: String? = nil) -> ExpressionDescription {
        aggregate(.median, "median", keyPath, name)
    }
    /// Returns the standard deviation of a group's values, nil of none.
    public static func standardDeviation(_ keyPath: String, as name: String? = nil) -> ExpressionDescription {
        aggregate(.standardDeviation, "standardDeviation", keyPath, name)
    }

    private static func aggregate(_ function: QueryFunction, _ label: String, _ keyPath: String, _ name: String?) -> ExpressionDescription {
        ExpressionDescription(name: name ?? "\(label)_\(keyPath)", expression: .function(function, [.keyPath(keyPath)]))
    }
}

extension QueryExpression {
    /// Returns the expression under a name, for ``ObjectFetchRequest/propertiesToFetch``.
    public func named(_ name: String, _ resultType: AttributeType? = nil) -> ExpressionDescription {
        ExpressionDescription(name: name, expression: self, resultType: resultType)
    }
}

extension Value {
    /// Converts the value for a dictionary: numbers round toward zero, values become text as by `CAST`; `nil` if
    /// impossible.
    func converted(to type: AttributeType) -> Value? {
        if let exact = type.coerce(self) { return exact }
        switch self {
        case .double(let number) where number.isNaN && type.isNumeric: return .null
        case .double(let number) where type == .float: return .double(Double(Float(number)))
        case .double(let number) where type.isInteger: return Int64(exactly: number.rounded(.towardZero)).flatMap { type.coerce(.int($0)) }
        case .decimal where type.isInteger: return AttributeType.double.coerce(self)?.converted(to: type)
        case .decimal where type == .float: return AttributeType.double.coerce(self).flatMap { type.coerce($0) }
        case _ where type == .string:
            let text = QueryFunction.cast.value(of: [self, .string("string")])
            return text.isNull ? nil : text
        default: return type == .undefined ? self : nil
        }
    }
}
