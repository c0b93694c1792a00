public import StrataGraph
import StrataModel
import StrataQuery

/// Redeclares unsupported members of Foundation's `NSPredicate` on Linux, unambiguously by a protocol.
public protocol FormattedPredicate {}

extension NSPredicate: FormattedPredicate {}

extension FormattedPredicate where Self: NSPredicate {
    /// Creates the predicate of a text in the format language.
    ///
    /// ```swift
    /// request.predicate = NSPredicate(format: "age >= %d AND name BEGINSWITH[cd] %@", 18, "A")
    /// ```
    /// It is an `NSCompoundPredicate` or an `NSComparisonPredicate` if the text is one. See Strata's format language.
    ///
    /// - Parameters:
    ///   - predicateFormat: The text.
    ///   - arguments: The arguments of the placeholders, in their order; further ones are ignored.
    /// - Precondition: The text is a predicate, and there is an argument for every placeholder.
    public init(format predicateFormat: String, _ arguments: Any...) {
        self.init(format: predicateFormat, argumentArray: arguments)
    }

    /// Creates the predicate of a text in the format language with one placeholder, whose argument is a list.
    ///
    /// Swift passes the elements of an array of any values to `init(format:_:)` one by one.
    /// - Precondition: As for `init(format:_:)`.
    public init(format predicateFormat: String, _ list: [Any]) { self.init(format: predicateFormat, argumentArray: [list]) }

    /// Creates the predicate of a text in the format language, with its arguments in an array.
    ///
    /// - Precondition: As for `init(format:_:)`.
    public init(format predicateFormat: String, argumentArray arguments: [Any]?) {
        _ = CompoundPredicate.completesFoundations
        self = Self.from(FormatArguments(arguments ?? []).predicate(predicateFormat))
    }

    /// Creates the predicate of a text in the format language, with its arguments in a C argument list.
    ///
    /// ```swift
    /// withVaList(["name", "Ada"]) { NSPredicate(format: "%K == %@", arguments: $0) }
    /// ```
    /// - Precondition: As for `init(format:_:)`; the list was made by `withVaList`.
    public init(format predicateFormat: String, arguments argList: CVaListPointer) {
        self.init(format: predicateFormat, argumentArray: unsafe VariadicArguments.arguments(of: predicateFormat, argList))
    }

    /// Returns the predicate with variables replaced by values, `NSNull` for none; those without a value stay.
    public func withSubstitutionVariables(_ variables: [String: Any]) -> Self { Self.from(Substitution(variables).predicate(self)) }

    /// Has no effect: predicates do not come from archives.
    public func allowEvaluation() {}

    static func from(_ predicate: NSPredicate) -> Self {
        guard let predicate = predicate as? Self else {
            programmerError("\(PredicateText.text(of: predicate)) is no \(Self.self)")
        }
        return predicate
    }

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
