public import Foundation
public import StrataGraph
import StrataQuery

extension FormattedPredicate where Self: NSPredicate {
    /// The predicate that a `#Predicate` about managed objects spells.
    ///
    /// `nil` where the predicate says what no query can.
    public init?<Object: ManagedObject>(_ predicate: Foundation.Predicate<Object>) {
        guard let tree = try? QueryPredicate(predicate), let made = NSPredicate.make(tree) as? Self else { return nil }
        self = made
    }

    /// The predicate that a `#Predicate` about other objects spells, which tests them in memory.
    ///
    /// What is no object of the type does not meet it, nor does an object for which the predicate throws.
    public init?<Object: NSObject>(_ predicate: Foundation.Predicate<Object>) {
        let block = NSPredicate { object, _ in (object as? Object).map { (try? predicate.evaluate($0)) ?? false } ?? false }
        guard let made = block as? Self else { return nil }
        self = made
    }
}
