import Strata

/// The code of the guide to the format language.
enum PredicateFormatPage {
    static func parse() throws -> (QueryPredicate, QueryExpression) {
        let adults = try QueryPredicate(format: "age >= %d AND name BEGINSWITH[cd] %@", 18, "A")
        let total = try QueryExpression(format: "price * (1 + taxRate)")
        return (adults, total)
    }
}
