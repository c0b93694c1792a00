public import Foundation
public import StrataGraph
import StrataQuery

extension FormattedPredicate where Self: NSPredicate {
    /// Creates the predicate of a `#Predicate` about managed objects.
    ///
    /// `nil` if it cannot be translated to a query.
    public init?<Object: ManagedObject>(_ predicate: Foundation.Predicate<Object>) {
        guard let tree = try? QueryPredicate(predicate), let made = NSPredicate.make(tree) as? Self else { return nil }
        self = made
    }

    /// Creates the predicate of a `#Predicate` about other objects, which tests them in memory.
    ///
    /// It is false for objects of other types, and if the predicate throws.
    public init?<Object: NSObject>(_ predicate: Foundation.Predicate<Object>) {
        let block = NSPredicate { object, _ in (object as? Object).map { (try? predicate.evaluate($0)) ?? false } ?? false }
        guard let made = block as? Self else { return nil }
        self = made
    }
}
