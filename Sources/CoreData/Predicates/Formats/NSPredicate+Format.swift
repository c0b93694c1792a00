public import Foundation
import StrataModel

/// What gives `NSPredicate` the members that Foundation declares on Linux without supporting them: its own would be ambiguous.
public protocol FormattedPredicate {}

extension NSPredicate: FormattedPredicate {}

extension FormattedPredicate where Self: NSPredicate {
    /// The predicate that a text of the format language spells.
    ///
    /// ```swift
    /// request.predicate = NSPredicate(format: "age >= %d AND name BEGINSWITH[cd] %@", 18, "A")
    /// ```
    /// It is an `NSCompoundPredicate` or an `NSComparisonPredicate` where the text spells one. The guide to Strata's format language
    /// describes the text.
    ///
    /// - Parameters:
    ///   - predicateFormat: The text.
    ///   - arguments: What stands for the placeholders, in their order; those without a placeholder are passed over.
    /// - Precondition: The text is a predicate, and there is an argument for every placeholder.
    public init(format predicateFormat: String, _ arguments: Any...) {
        self.init(format: predicateFormat, argumentArray: arguments)
    }

    /// The predicate that a text of the format language spells, with its arguments in an array.
    ///
    /// - Precondition: As for `init(format:_:)`.
    public init(format predicateFormat: String, argumentArray arguments: [Any]?) {
        self = Self.from(FormatArguments(arguments ?? []).predicate(predicateFormat))
    }

    /// The predicate that a text of the format language spells, with its arguments in a list of C's.
    ///
    /// ```swift
    /// withVaList(["name", "Ada"]) { NSPredicate(format: "%K == %@", arguments: $0) }
    /// ```
    /// - Precondition: As for `init(format:_:)`; the list is what `withVaList` made of the arguments.
    public init(format predicateFormat: String, arguments argList: CVaListPointer) {
        self.init(format: predicateFormat, argumentArray: unsafe VariadicArguments.arguments(of: predicateFormat, argList))
    }

    /// The predicate with variables replaced by values, `NSNull` for none; those without a value stay.
    public func withSubstitutionVariables(_ variables: [String: Any]) -> Self { Self.from(Substitution(variables).predicate(self)) }

    /// Has no effect: predicates do not come from archives.
    public func allowEvaluation() {}

    static func from(_ predicate: NSPredicate) -> Self {
        guard let predicate = predicate as? Self else {
            programmerError("\(PredicateText.text(of: predicate)) is no \(Self.self)")
        }
        return predicate
    }
}
