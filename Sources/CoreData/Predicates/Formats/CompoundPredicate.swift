import Foundation
import StrataQuery

/// A compound that prints, compares and copies by its parts, unlike Foundation's.
final class CompoundPredicate: NSCompoundPredicate {
    override var predicateFormat: String { PredicateText.text(of: self) }

    override var description: String { predicateFormat }

    override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSCompoundPredicate else { return false }
        return other === self || TreeBuilder.shape(of: self) == TreeBuilder.shape(of: other)
    }

    override var hash: Int { TreeBuilder.shape(of: self).tree.hashValue }

    override func copy(with zone: NSZone? = nil) -> Any {
        CompoundPredicate(type: compoundPredicateType, subpredicates: subpredicates)
    }
}
