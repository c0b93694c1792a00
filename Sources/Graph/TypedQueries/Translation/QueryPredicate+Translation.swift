public import StrataModel
public import StrataQuery

extension QueryPredicate {
    /// Translates a `#Predicate` about managed objects.
    ///
    /// ```swift
    /// let adults = try QueryPredicate(#Predicate<Person> { $0.age >= 18 && $0.company?.name == "ACME" })
    /// ```
    /// The translation means what queries mean: properties are compared as they are stored, text by bytes, and what
    /// would fail in Swift (`!` on `nil`, a division by zero) makes a comparison that is not met. Combine predicates
    /// with `&&`, `||` and `!` afterwards.
    ///
    /// - Parameters:
    ///   - predicate: What the macro made.
    ///   - model: Has the entities of classes; needed for `is` alone.
    /// - Throws: `QueryError` with `untranslatable` for what no query can say, with `computedProperty` for a key path
    ///   to what a program computes; both name the part.
    public init<Object: ManagedObject>(
        _ predicate: FoundationEssentials.Predicate<Object>, in model: ManagedObjectModel? = nil
    ) throws(QueryError) {
        var translation = Translation(entity: "\(Object.self)", model: model)
        translation.bind(predicate.variable, to: .evaluatedObject)
        self = try translation.predicate(predicate.expression)
    }
}

extension ObjectPredicate where Object: ManagedObject {
    /// Translates a `#Predicate`; otherwise as `QueryPredicate.init(_:in:)`.
    ///
    /// - Throws: `QueryError` with `untranslatable` or `computedProperty`.
    public init(_ predicate: FoundationEssentials.Predicate<Object>, in model: ManagedObjectModel? = nil) throws(QueryError) {
        self.init(try QueryPredicate(predicate, in: model))
    }

    /// Returns whether an object meets the condition as it is now; otherwise as `QueryPredicate.evaluate(with:)`.
    ///
    /// - Throws: As `QueryPredicate.evaluate(with:)`.
    public func evaluate(with object: Object) throws -> Bool { try predicate.evaluate(with: object) }
}

/// A node of Foundation's tree that can be translated.
///
/// All node types conform, whatever their parts are: errors name a part that cannot be translated.
protocol TranslatableNode {
    func translated(by translation: inout Translation) throws(QueryError) -> Translated
}

enum Translated {
    case predicate(QueryPredicate)
    /// A truth value where a condition is met, and `nil` elsewhere: `name?.isEmpty`.
    case optionalPredicate(QueryPredicate, where: QueryPredicate)
    /// Any other value, or several.
    case expression(QueryExpression)
    /// A value, or a constant instead of `nil`: `age ?? 0`.
    case coalesced(QueryExpression, Value)
    /// A range of values; without a bound it has no end there.
    case range(lower: QueryExpression?, upper: QueryExpression?, includesUpper: Bool)

    var constant: Value? {
        if case .expression(.constant(let value)) = self { value } else { nil }
    }
}

/// The translation of a tree of Foundation's.
struct Translation {
    let entity: String
    let model: ManagedObjectModel?
    private var variables: [PredicateExpressions.VariableID: QueryExpression] = [:]
    private var collections = 0

    init(entity: String, model: ManagedObjectModel?) {
        self.entity = entity
        self.model = model
    }

    mutating func bind<T>(_ variable: PredicateExpressions.Variable<T>, to expression: QueryExpression) {
        variables[variable.key] = expression
    }

    func value<T>(of variable: PredicateExpressions.Variable<T>) throws(QueryError) -> QueryExpression {
        guard let value = variables[variable.key] else { throw error(variable, "the variable is not bound") }
        return value
    }

    mutating func newVariable() -> String {
        collections += 1
        return collections == 1 ? "x" : "x\(collections - 1)"
    }

    func error(_ node: some Any, _ message: String) -> QueryError {
        let name = String("\(type(of: node))".prefix { $0 != "<" })
        return QueryError(.untranslatable, entity: entity, subject: name, "\(name): \(message)")
    }

    mutating func translated(_ node: some PredicateExpression) throws(QueryError) -> Translated {
        do throws(QueryError) {
            guard let known = node as? any TranslatableNode else { throw error(node, "no query says this") }
            let translated = try known.translated(by: &self)
            if case .expression(.function(_, let arguments)) = translated, arguments.allSatisfy(\.isConstant) {
                return constant(node) ?? translated
            }
            return translated
        } catch {
            // A part that depends on no object may be computed here.
            guard let constant = constant(node) else { throw error }
            return constant
        }
    }

    private func constant(_ node: some PredicateExpression) -> Translated? {
        guard let value = try? node.evaluate(PredicateBindings()) else { return nil }
        return Constants.translated(value)
    }

    mutating func predicate(_ node: some PredicateExpression) throws(QueryError) -> QueryPredicate {
        try predicate(try translated(node), of: node)
    }

    func predicate(_ translated: Translated, of node: some PredicateExpression) throws(QueryError) -> QueryPredicate {
        switch translated {
        case .predicate(let predicate): return predicate
        case .optionalPredicate(let predicate, let condition): return .both(condition, predicate)
        case .expression(.constant(.bool(let truth))): return .constant(truth)
        case .expression(let expression): return expression == .bool(true)
        case .coalesced(let expression, let fallback): return .coalesced(expression, fallback, .equal, .bool(true))
        case .range: throw error(node, "a range is no single value")
        }
    }

    mutating func expression(_ node: some PredicateExpression) throws(QueryError) -> QueryExpression {
        try expression(try translated(node), of: node)
    }

    func expression(_ translated: Translated, of node: some PredicateExpression) throws(QueryError) -> QueryExpression {
        guard let expression = translated.expression else { throw error(node, "a range is no single value") }
        return expression
    }

    mutating func collection(_ node: some PredicateExpression) throws(QueryError) -> QueryExpression {
        try collection(try translated(node), of: node)
    }

    func collection(_ translated: Translated, of node: some PredicateExpression) throws(QueryError) -> QueryExpression {
        // A missing collection has no elements either.
        if case .coalesced(let collection, .list([])) = translated { return collection }
        return try expression(translated, of: node)
    }
}

extension Translated {
    /// The value as an expression, `nil` for a range.
    var expression: QueryExpression? {
        switch self {
        case .expression(let expression): expression
        case .predicate(let predicate): .truth(predicate)
        case .optionalPredicate(let predicate, let condition): .conditional(condition, .truth(predicate), .constant(.null))
        case .coalesced(let expression, let fallback): .conditional(expression == nil, .constant(fallback), expression)
        case .range: nil
        }
    }
}

extension QueryExpression {
    var isConstant: Bool {
        if case .constant = self { true } else { false }
    }

    static func truth(_ predicate: QueryPredicate) -> QueryExpression {
        .conditional(predicate, .constant(.bool(true)), .constant(.bool(false)))
    }
}
