import StrataModel
import StrataQuery

/// An operand of a predicate, or a computed value of a fetch: a constant, a key path, a function of other expressions.
///
/// ```swift
/// let oldest = NSExpressionDescription()
/// oldest.expression = NSExpression(forFunction: "max:", arguments: [NSExpression(forKeyPath: "age")])
/// NSExpression(format: "4 + 5 - 2**3").expressionValue(with: nil, context: nil) as? Int  // 1
/// ```
/// Foundation declares a class of this name that cannot be made: a file that also imports Foundation can call the
/// initializers, but has to omit the type, or write `CoreData.NSExpression`.
open class NSExpression: NSObject, NSCopying {
    let content: ExpressionContent

    init(_ content: ExpressionContent) { self.content = content }

    /// Makes an expression of a kind; for the kinds without parts, and for subclasses.
    public init(expressionType type: ExpressionType) {
        switch type {
        case .evaluatedObject: content = .evaluatedObject
        case .anyKey: content = .anyKey
        default: content = .own(type)
        }
    }

    // MARK: - From a format

    /// Creates the expression of a text in the format language: `NSExpression(format: "price * %f", 1.19)`.
    ///
    /// - Parameters:
    ///   - expressionFormat: The text.
    ///   - arguments: The arguments of the placeholders, in their order.
    /// - Precondition: The text is an expression, and there is an argument for every placeholder.
    public convenience init(format expressionFormat: String, _ arguments: Any...) {
        self.init(format: expressionFormat, argumentArray: arguments)
    }

    /// Creates the expression of a text in the format language with one placeholder, whose argument is a list.
    ///
    /// - Precondition: As for `init(format:_:)` with arguments one by one.
    public convenience init(format expressionFormat: String, _ list: [Any]) {
        self.init(format: expressionFormat, argumentArray: [list])
    }

    /// Creates the expression of a text in the format language, with its arguments in an array.
    ///
    /// - Precondition: As for `init(format:_:)`.
    public convenience init(format expressionFormat: String, argumentArray arguments: [Any]) {
        self.init(FormatArguments(arguments).expression(expressionFormat).content)
    }

    // MARK: - Simple ones

    /// Creates a constant; `nil` for no value.
    public convenience init(forConstantValue constant: Any?) { self.init(.constant(constant, Operand(constant))) }

    /// Creates a variable, `$name`, that gets its value when the expression is evaluated or by substitution.
    public convenience init(forVariable name: String) { self.init(.variable(name)) }

    /// Creates the value at the end of a key path of the object.
    public convenience init(forKeyPath keyPath: String) { self.init(.keyPath(nil, keyPath)) }

    /// Creates an expression for the property that a Swift key path of a managed object references.
    ///
    /// - Precondition: The key path references a property of the model, directly or through relationships.
    public convenience init<Root, Value>(forKeyPath keyPath: KeyPath<Root, Value>) {
        do { self.init(.keyPath(nil, try KeyPathName.name(of: keyPath))) } catch {
            programmerError("Could not extract a String from KeyPath \(keyPath): \(error)")
        }
    }

    /// Returns the object that is tested, `SELF`.
    open class func expressionForEvaluatedObject() -> NSExpression { NSExpression(.evaluatedObject) }

    /// Returns the values of all attributes, `ANYKEY`.
    open class func expressionForAnyKey() -> NSExpression { NSExpression(.anyKey) }

    // MARK: - Collections

    /// Several expressions as one collection; objects other than expressions are constants.
    public convenience init(forAggregate subexpressions: [Any]) { self.init(.aggregate(subexpressions.map { NSExpression.of($0) })) }

    /// Creates the union of two collections.
    public convenience init(forUnionSet left: NSExpression, with right: NSExpression) { self.init(.combined(.union, left, right)) }

    /// Creates the intersection of two collections.
    public convenience init(forIntersectSet left: NSExpression, with right: NSExpression) {
        self.init(.combined(.intersect, left, right))
    }

    /// Creates the elements of one collection that are not in another.
    public convenience init(forMinusSet left: NSExpression, with right: NSExpression) { self.init(.combined(.minus, left, right)) }

    /// Creates the elements of a collection that meet a condition, `SUBQUERY(expression, $variable, predicate)`.
    public convenience init(forSubquery expression: NSExpression, usingIteratorVariable variable: String, predicate: NSPredicate) {
        self.init(.subquery(expression, variable: variable, predicate))
    }

    /// One of two expressions, by whether a condition is met.
    public convenience init(forConditional predicate: NSPredicate, trueExpression: NSExpression, falseExpression: NSExpression) {
        self.init(.conditional(predicate, trueExpression, falseExpression))
    }

    // MARK: - Functions

    /// Creates a function of the format language, by its selector: `sum:`, `count:`, `average:`, `add:to:`, `now`.
    ///
    /// - Parameters:
    ///   - name: The selector, also of a function registered with Strata's `QueryFunctionTable`.
    ///   - parameters: The arguments; other objects than expressions are constants.
    /// - Precondition: There is such a function.
    public convenience init(forFunction name: String, arguments parameters: [Any]) {
        guard ExpressionFunction.exists(name) else { programmerError("Unknown function: \(name)") }
        self.init(.function(name, parameters.map { NSExpression.of($0) }))
    }

    /// Creates a function of a target, by its selector: one of the language with the target as its first argument, or
    /// one registered with Strata's `QueryFunctionTable`; there are no methods to call by a selector.
    public convenience init(forFunction target: NSExpression, selectorName name: String, arguments parameters: [Any]?) {
        self.init(.call(target, name, (parameters ?? []).map { NSExpression.of($0) }))
    }

    /// Creates the result of a closure for the object and arguments; in memory only, as no store can call it.
    public convenience init(
        block: @escaping (_ evaluatedObject: Any?, _ arguments: [Any], _ context: NSMutableDictionary?) -> Any, arguments: [NSExpression]?
    ) {
        self.init(.block(ExpressionBlock(block), arguments ?? []))
    }

    static func of(_ any: Any) -> NSExpression { any as? NSExpression ?? NSExpression(forConstantValue: any) }

    // MARK: - Evaluating

    /// Returns the value for an object: numbers as `NSNumber`, several values as an array, a union as an `NSSet`.
    ///
    /// - Parameters:
    ///   - object: A managed object, a dictionary, or any value with stored properties; `nil` if not needed.
    ///   - context: The values of variables, by name; expressions may store values there.
    open func expressionValue(with object: Any?, context: NSMutableDictionary?) -> Any? {
        if case .constant(let constant, _) = content { return constant }
        var evaluation = Evaluation(of: object, context: context)
        let value = value(in: &evaluation)
        if case .combined = content { return value.elements.map { NSSet(array: $0.map { $0.any ?? NSNull() }) } }
        return value.any
    }

    /// Has no effect: expressions do not come from archives.
    open func allowEvaluation() {}

    // Overridden by subclasses.

    func value(in evaluation: inout Evaluation) -> Operand { evaluation.value(of: content, of: self) }

    /// Returns the expression as a part of a query.
    func shape(in builder: inout TreeBuilder) -> QueryExpression { builder.expression(content, of: self) }

    // MARK: - Copying and comparing

    /// Returns the expression itself, as it never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Returns whether another expression has equal parts.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSExpression else { return false }
        return other === self || TreeBuilder.shape(of: self) == TreeBuilder.shape(of: other)
    }

    open override var hash: Int { TreeBuilder.shape(of: self).tree.hashValue }

    /// The expression in the format language.
    open override var description: String { PredicateText.text(of: self) }
}
