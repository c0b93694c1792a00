import Foundation
import StrataQuery

extension NSPredicate {
    /// The predicate as a query.
    ///
    /// - Throws: `QueryError` with `untranslatable` where a part is a closure, or compares with an object that no query can hold.
    func tree() throws -> QueryPredicate {
        let shape = TreeBuilder.shape(of: self)
        try shape.requireTranslated(self)
        return shape.tree
    }

    /// The predicate that says what a query does.
    static func make(_ tree: QueryPredicate) -> NSPredicate { PredicateMaker().predicate(tree) }
}

extension NSExpression {
    /// The expression as a part of a query.
    ///
    /// - Throws: `QueryError` with `untranslatable`; as `NSPredicate.tree()`.
    func tree() throws -> QueryExpression {
        let shape = TreeBuilder.shape(of: self)
        try shape.requireTranslated(self)
        return shape.tree
    }

    /// The expression that yields what a part of a query does.
    static func make(_ tree: QueryExpression) -> NSExpression { PredicateMaker().expression(tree) }
}

extension TreeShape {
    /// Makes sure that nothing is left that no query can hold.
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
