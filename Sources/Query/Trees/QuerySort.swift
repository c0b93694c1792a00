public import StrataText

/// One key of a sort order.
///
/// Nil precedes every value; text is ordered by its UTF-8 bytes, unless folded or collated. Objects with equal keys
/// follow in the order of their IDs, the same on every store.
public struct QuerySort: Sendable, Hashable {
    /// The path of an attribute, reached through to-one relationships.
    public var keyPath: String
    /// Whether the order is ascending.
    public var ascending: Bool
    /// The preparation of text.
    public var options: QueryComparison.Options

    /// Sorts by a property, or by one at the end of a path of to-one relationships.
    public init(_ keyPath: String, ascending: Bool = true, _ options: QueryComparison.Options = []) {
        self.keyPath = keyPath
        self.ascending = ascending
        self.options = options
    }
}

/// The options of Core Data's sort selectors: `QuerySort("name", .localizedStandardCompare)`.
extension QueryComparison.Options {
    /// Without regard to case, else by the folded bytes.
    public static let caseInsensitiveCompare: QueryComparison.Options = .caseInsensitive
    /// In the order of `Collation`.
    public static let localizedCompare: QueryComparison.Options = .localeSensitive
    /// In the order of `Collation`, without regard to case.
    public static let localizedCaseInsensitiveCompare: QueryComparison.Options = [.localeSensitive, .caseInsensitive]
    /// In the order of `Collation`, runs of digits by their number, as file managers list names.
    public static let localizedStandardCompare: QueryComparison.Options = [.localeSensitive, .numeric]
}

#if ICU && canImport(_FoundationICU)
    extension QueryComparison.Options {
        /// In the order of a locale: `QuerySort("name", .localizedCompare(in: "zh"))`.
        public static func localizedCompare(in locale: String) -> QueryComparison.Options { .locale(locale) }
        /// In the order of a locale, without regard to case.
        public static func localizedCaseInsensitiveCompare(in locale: String) -> QueryComparison.Options {
            [.locale(locale), .caseInsensitive]
        }
        /// In the order of a locale, runs of digits by their number.
        public static func localizedStandardCompare(in locale: String) -> QueryComparison.Options { [.locale(locale), .numeric] }
    }
#endif
