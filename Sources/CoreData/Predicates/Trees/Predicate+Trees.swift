import Foundation
import StrataQuery

extension NSPredicate {
    /// Returns the predicate as a query; throws `untranslatable` for closures, and for objects that no query can hold.
    func tree() throws -> QueryPredicate {
        let shape = TreeBuilder.shape(of: self)
        try shape.requireTranslated(self)
        return shape.tree
    }

    static func make(_ tree: QueryPredicate) -> NSPredicate { PredicateMaker().predicate(tree) }
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

extension TreeShape {
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
