import StrataGraph
import StrataModel
import StrataQuery

/// A comparison of two expressions.
///
/// ```swift
/// let name = NSExpression(forKeyPath: "name")
/// NSComparisonPredicate(
///     leftExpression: name, rightExpression: NSExpression(forConstantValue: "A"), modifier: .direct, type: .beginsWith,
///     options: [.caseInsensitive])
/// ```
/// Foundation declares a class of this name that cannot be made: a file that also imports Foundation can call the
/// initializers, but has to omit the type, or write `CoreData.NSComparisonPredicate`.
open class NSComparisonPredicate: NSPredicate {
    /// The left operand; its elements, for ANY and ALL.
    public let leftExpression: NSExpression
    /// The right operand.
    public let rightExpression: NSExpression
    /// Which elements of the left side the comparison is about.
    public let comparisonPredicateModifier: Modifier
    /// How the sides are compared.
    public let predicateOperatorType: Operator
    /// How text is prepared.
    public let options: Options
    /// The selector that compares, where one does.
    public let customSelector: Selector?
    /// The operator in queries; `nil` for a comparison by a selector.
    let queryOperator: QueryComparison.Operator?
    /// The test of a text on the left side, if the right side is a constant one.
    let preparedText: PreparedText?
    private let fetched = KeptComparison()

    /// Creates a comparison of two expressions.
    ///
    /// - Precondition: The type is not `customSelector`.
    public init(
        leftExpression lhs: NSExpression, rightExpression rhs: NSExpression, modifier: Modifier, type: Operator, options: Options = []
    ) {
        if type == .customSelector {
            programmerError("a comparison by a selector is made with init(leftExpression:rightExpression:customSelector:)")
        }
        leftExpression = lhs
        rightExpression = rhs
        comparisonPredicateModifier = modifier
        predicateOperatorType = type
        self.options = options
        customSelector = nil
        queryOperator = QueryComparison.Operator.allCases.first { Operator($0) == type }
        preparedText = PreparedText(queryOperator, rhs, options.textOptions)
        super.init(block: NSComparisonPredicate.unused)
        _ = CompoundPredicate.completesFoundations
    }

    /// Creates a comparison by a function registered with Strata's `QueryFunctionTable`, in place of a method.
    public init(leftExpression lhs: NSExpression, rightExpression rhs: NSExpression, customSelector selector: Selector) {
        leftExpression = lhs
        rightExpression = rhs
        comparisonPredicateModifier = .direct
        predicateOperatorType = .customSelector
        options = []
        customSelector = selector
        queryOperator = nil
        preparedText = nil
        super.init(block: NSComparisonPredicate.unused)
    }

    /// Returns the block for Foundation's initializer, which unlike a truth value equals no other.
    private static func unused(_ object: Any?, _ bindings: [String: Any]?) -> Bool { false }

    /// Returns whether the comparison holds for an object.
    ///
    /// For a managed object in a context it is the result of a fetch, with the pending changes.
    open override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool {
        if let answer = answer(about: object, bindings) { return answer }
        var evaluation = Evaluation(of: object, bindings: bindings)
        return evaluation.holds(self)
    }

    /// Returns the result of a fetch; `nil` if no fetch is possible.
    private func answer(about object: Any?, _ bindings: [String: Any]?) -> Bool? {
        guard let object = object as? ManagedObject else { return nil }
        guard let bindings else { return fetched.use(tree) { $0.answer(about: object) } }
        return (try? Substitution(bindings).predicate(self).tree()).flatMap { FetchedComparison($0).answer(about: object) }
    }

    /// The comparison in the format language.
    open override var predicateFormat: String { PredicateText.text(of: self) }

    open override var description: String { predicateFormat }

    /// Returns whether another predicate has equal parts.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSComparisonPredicate else { return false }
        return other === self || TreeBuilder.shape(of: self) == TreeBuilder.shape(of: other)
    }

    open override var hash: Int { TreeBuilder.shape(of: self).tree.hashValue }

    /// Returns the predicate itself, as it never changes.
    open override func copy(with zone: NSZone? = nil) -> Any { self }

    /// Returns the same comparison of other expressions.
    func with(_ left: NSExpression, _ right: NSExpression) -> NSComparisonPredicate {
        if let customSelector {
            return NSComparisonPredicate(leftExpression: left, rightExpression: right, customSelector: customSelector)
        }
        return NSComparisonPredicate(
            leftExpression: left, rightExpression: right, modifier: comparisonPredicateModifier, type: predicateOperatorType,
            options: options)
    }
}
