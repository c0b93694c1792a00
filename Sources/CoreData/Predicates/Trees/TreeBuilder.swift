import StrataModel
import StrataQuery

/// Makes trees from predicates and expressions.
///
/// Parts that no query can hold (closures, objects of other types) are replaced by an unwritable variable, so that a
/// tree also serves to compare and to print.
struct TreeBuilder {
    /// The objects replaced by variables, in their order.
    private(set) var opaque: [Any] = []
    /// Whether `NSNull` is not nil, as in printing.
    private let keepsNull: Bool

    init(keepsNull: Bool = false) { self.keepsNull = keepsNull }

    /// The prefix of the names of these variables.
    private static let prefix = "\u{1}"

    /// Returns a variable for an object that no query can hold.
    mutating func placeholder(for object: Any) -> QueryExpression {
        opaque.append(object)
        return .variable(TreeBuilder.prefix + String(opaque.count - 1))
    }

    /// Returns the index in ``opaque`` of the object that a variable replaces.
    static func index(ofPlaceholder name: String) -> Int? { name.hasPrefix(prefix) ? Int(name.dropFirst()) : nil }

    // MARK: - Expressions

    mutating func expression(_ expression: NSExpression) -> QueryExpression { expression.shape(in: &self) }

    mutating func expression(_ content: ExpressionContent, of expression: NSExpression) -> QueryExpression {
        switch content {
        case .constant(let null as NSNull, _) where keepsNull: return placeholder(for: null)
        case .constant(_, let operand): return constant(operand)
        case .evaluatedObject: return .evaluatedObject
        case .anyKey: return .anyKey
        case .variable(let name): return .variable(name)
        case .keyPath(nil, let path): return path == "SELF" || path == "self" ? .evaluatedObject : .keyPath(path)
        case .keyPath(let base?, let path): return .path(self.expression(base), path)
        case .function(let name, let arguments): return ExpressionFunction.tree(name, expressions(arguments))
        case .call(let target, let name, let arguments): return ExpressionFunction.tree(name, expressions([target] + arguments))
        case .aggregate(let parts): return TreeBuilder.list(expressions(parts))
        case .combined(let operation, let left, let right): return .combined(operation, self.expression(left), self.expression(right))
        case .subquery(let base, let name, let condition):
            return .subquery(self.expression(base), variable: name, predicate(condition))
        case .conditional(let condition, let first, let second):
            return .conditional(predicate(condition), self.expression(first), self.expression(second))
        case .block(let block, let arguments): return .custom(placeholder(for: block), "BLOCK", expressions(arguments))
        case .element(let base, let index): return .element(self.expression(base), position(index))
        case .assignment(let name, let value): return .assignment(name, self.expression(value))
        case .fetch(let fetch): return .fetch(fetch)
        case .request(let request, _, let countOnly):
            return FetchedValue.queryFetch(request, countOnly, in: &self).map { .fetch($0) } ?? placeholder(for: expression)
        case .own: return placeholder(for: expression)
        }
    }

    private mutating func expressions(_ parts: [NSExpression]) -> [QueryExpression] { parts.map { expression($0) } }

    private mutating func position(_ index: ExpressionPosition) -> QueryExpression.Position {
        switch index {
        case .first: .first
        case .last: .last
        case .size: .size
        case .at(let index): .at(expression(index))
        }
    }

    private mutating func constant(_ operand: Operand) -> QueryExpression {
        switch operand {
        case .value(let value): return .constant(value)
        case .list(let elements): return TreeBuilder.list(elements.map { constant($0) })
        case .object(let any):
            if let object = Operand.queryExpression(of: any) { return object }
            guard let values = operand.elements else { return placeholder(for: any) }
            return TreeBuilder.list(values.map { constant($0) })
        }
    }

    /// Returns several expressions as one; a constant if all of them are.
    private static func list(_ elements: [QueryExpression]) -> QueryExpression {
        let values = elements.compactMap { if case .constant(let value) = $0 { value } else { nil } }
        return values.count == elements.count ? .constant(.list(values)) : .list(elements)
    }

    // MARK: - Predicates

    mutating func predicate(_ predicate: NSPredicate) -> QueryPredicate {
        switch predicate {
        case let compound as NSCompoundPredicate: return compoundTree(compound)
        case let comparison as NSComparisonPredicate: return tree(comparison)
        default:
            if let truth = predicate.truth { return .constant(truth) }
            return .comparison(QueryComparison(placeholder(for: predicate), .equal, .constant(.bool(true))))
        }
    }

    private mutating func compoundTree(_ compound: NSCompoundPredicate) -> QueryPredicate {
        let parts = compound.subpredicates.map { predicate($0) }
        switch compound.compoundPredicateType {
        case .and: return .and(parts)
        case .or: return .or(parts)
        case .not: return parts.first.map { .not($0) } ?? .constant(true)
        }
    }

    private mutating func tree(_ comparison: NSComparisonPredicate) -> QueryPredicate {
        let (left, right) = (expression(comparison.leftExpression), expression(comparison.rightExpression))
        guard let op = comparison.queryOperator else {
            return .comparison(QueryComparison(.custom(left, comparison.customName, [right]), .equal, .constant(.bool(true))))
        }
        return .comparison(QueryComparison(left, op, right, comparison.options.textOptions, modifier: comparison.queryModifier))
    }

    static func shape(of expression: NSExpression, keepsNull: Bool = false) -> TreeShape<QueryExpression> {
        var builder = TreeBuilder(keepsNull: keepsNull)
        let tree = builder.expression(expression)
        return TreeShape(tree: tree, opaque: builder.opaque)
    }

    static func shape(of predicate: NSPredicate, keepsNull: Bool = false) -> TreeShape<QueryPredicate> {
        var builder = TreeBuilder(keepsNull: keepsNull)
        let tree = builder.predicate(predicate)
        return TreeShape(tree: tree, opaque: builder.opaque)
    }
}

extension NSPredicate {
    /// The constant result of a predicate without conditions; `nil` for any other.
    var truth: Bool? {
        guard type(of: self) == NSPredicate.self else { return nil }
        // A block equals no constant, which alone tells the two apart.
        return isEqual(NSPredicate(value: true)) ? true : isEqual(NSPredicate(value: false)) ? false : nil
    }

    /// Returns the predicate as a query; throws `untranslatable` for closures, and for objects that no query can hold.
    func tree() throws -> QueryPredicate {
        let shape = TreeBuilder.shape(of: self)
        try shape.requireTranslated(self)
        return shape.tree
    }

    static func make(_ tree: QueryPredicate) -> NSPredicate { PredicateMaker().predicate(tree) }
}

/// A tree, and the objects that its unwritable variables replace.
struct TreeShape<Tree: Hashable>: Equatable {
    let tree: Tree
    let opaque: [Any]

    static func == (a: TreeShape, b: TreeShape) -> Bool {
        a.tree == b.tree && a.opaque.count == b.opaque.count
            && zip(a.opaque, b.opaque).allSatisfy { Operand.object($0).isEqual(to: .object($1)) }
    }

    /// Throws if the tree contains an object that no query can hold.
    fileprivate func requireTranslated(_ whole: NSObject) throws {
        guard let first = opaque.first else { return }
        let what =
            switch first {
            case is NSPredicate, is ExpressionBlock: "a block cannot be part of a fetch"
            case is NSExpression: "an expression of its own kind cannot be part of a fetch"
            default: "a constant of type \(type(of: first)) cannot be part of a fetch"
            }
        let text = (whole as? NSPredicate).map { PredicateText.text(of: $0) } ?? whole.description
        throw QueryError(.untranslatable, subject: text, "unsupported predicate \(text): \(what)")
    }
}

extension NSExpression {
    /// Returns the expression as a part of a query; throws `untranslatable` as `NSPredicate.tree()`.
    func tree() throws -> QueryExpression {
        let shape = TreeBuilder.shape(of: self)
        try shape.requireTranslated(self)
        return shape.tree
    }

    /// Returns the expression of a part of a query.
    static func make(_ tree: QueryExpression) -> NSExpression { PredicateMaker().expression(tree) }
}
