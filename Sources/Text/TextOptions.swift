/// How text is prepared before it is compared.
public struct TextOptions: OptionSet, Sendable, Hashable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// Without regard to case, `[c]`.
    public static let caseInsensitive = TextOptions(rawValue: 1)
    /// Without regard to diacritics, `[d]`.
    public static let diacriticInsensitive = TextOptions(rawValue: 2)
    /// By bytes, ignoring other options: the operands were normalized already, `[n]`.
    public static let normalized = TextOptions(rawValue: 4)
    /// In a collation rather than by bytes, `[l]`; for `<`, `<=`, `==`, `>=` and `>`, and for sort keys.
    public static let localeSensitive = TextOptions(rawValue: 8)
    /// Runs of digits by their number, as in `localizedStandardCompare`; for sort keys with ``localeSensitive``.
    public static let numeric = TextOptions(rawValue: 16)

    /// The options that fold text; none if the text is normalized already.
    public var folding: TextOptions { contains(.normalized) ? [] : intersection([.caseInsensitive, .diacriticInsensitive]) }

    /// Returns the options in the order of a locale, see `locale(_:)`; `nil` in a package without the trait `ICU`.
    package func inLocale(_ identifier: String) -> TextOptions? {
        #if ICU && canImport(_FoundationICU)
            union(.locale(identifier))
        #else
            nil
        #endif
    }

    /// The locale of the options; `nil` for none.
    package var namedLocale: String? {
        #if ICU && canImport(_FoundationICU)
            localeIdentifier
        #else
            nil
        #endif
    }

    /// Whether text is collated.
    public var collates: Bool { !contains(.normalized) && !isDisjoint(with: [.localeSensitive, .numeric]) }
}
