import StrataModel
import StrataQuery

/// The text of predicates and expressions, as in Core Data's `predicateFormat`.
enum PredicateText {
    static func text(of predicate: NSPredicate) -> String {
        if let compound = predicate as? NSCompoundPredicate { return text(of: compound) }
        if predicate is NSComparisonPredicate {
            let shape = TreeBuilder.shape(of: predicate, keepsNull: true)
            return withNulls((try? shape.tree.replacingExpressions { printable($0, shape.opaque) })?.predicateFormat)
        }
        return predicate.truth.map { $0 ? "TRUEPREDICATE" : "FALSEPREDICATE" } ?? "BLOCKPREDICATE"
    }

    static func text(of expression: NSExpression) -> String {
        let shape = TreeBuilder.shape(of: expression, keepsNull: true)
        return withNulls((try? shape.tree.replacingExpressions { printable($0, shape.opaque) })?.description)
    }

    /// The text that is printed for `NSNull`, in private characters that no other text has.
    private static let null = "\u{F8FE}null\u{F8FF}"

    private static func withNulls(_ text: String?) -> String { (text ?? "").replacingOccurrences(of: "\"\(null)\"", with: "<null>") }

    private static func text(of compound: NSCompoundPredicate) -> String {
        let parts = compound.subpredicates
        switch compound.compoundPredicateType {
        case .not: return "NOT " + (parts.first.map(group) ?? "TRUEPREDICATE")
        case .and: return join(parts, " AND ", ofNone: "TRUEPREDICATE")
        case .or: return join(parts, " OR ", ofNone: "FALSEPREDICATE")
        }
    }

    private static func join(_ parts: [NSPredicate], _ word: String, ofNone: String) -> String {
        if let only = parts.first, parts.count == 1 { return text(of: only) }
        return parts.isEmpty ? ofNone : parts.map(group).joined(separator: word)
    }

    /// Returns the text of a part of a compound: in parentheses if it is one itself.
    private static func group(_ predicate: NSPredicate) -> String {
        predicate is NSCompoundPredicate ? "(\(text(of: predicate)))" : text(of: predicate)
    }

    /// Returns the printed form of a part: Booleans and whole numbers as integers, objects as their descriptions.
    private static func printable(_ expression: QueryExpression, _ opaque: [Any]) -> QueryExpression? {
        switch expression {
        case .constant(let value): .constant(printable(value))
        // A path through a variable is printed as it was given, without quotes.
        case .keyPath(let path) where path.hasPrefix("$"): try? QueryExpression(format: path)
        case .variable(let name): TreeBuilder.index(ofPlaceholder: name).map { .constant(.string(text(ofOpaque: opaque[$0]))) }
        default: nil
        }
    }

    /// Returns the description of an object that no query can hold: an expression's own would call this.
    private static func text(ofOpaque object: Any) -> String {
        if object is NSNull { return null }
        guard let expression = object as? NSExpression else { return "\(object)" }
        guard case .request(let request, let context, let countOnly) = expression.content else { return "<\(type(of: expression))>" }
        return "FETCH(\(request), \(context), \(countOnly ? "YES" : "NO"))"
    }

    private static func printable(_ value: Value) -> Value {
        switch value {
        case .bool(let flag): .int(flag ? 1 : 0)
        case .double(let number): Int64(exactly: number).map { .int($0) } ?? value
        case .decimal(let number):
            Int64(number.description).map { .int($0) }
                ?? Double(number.description).flatMap { $0.description == number.description ? .double($0) : nil } ?? value
        case .list(let values): .list(values.map(printable))
        default: value
        }
    }
}
