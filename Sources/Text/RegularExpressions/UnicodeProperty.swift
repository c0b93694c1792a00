/// A property of `\p{…}` that the standard library has, or a script of ``Scripts``.
enum UnicodeProperty: Sendable {
    case category(Set<Unicode.GeneralCategory>)
    case binary(@Sendable (Unicode.Scalar.Properties) -> Bool)
    case script([ClosedRange<UInt32>])

    func holds(_ value: UInt32) -> Bool {
        switch self {
        case .category(let categories): Unicode.Scalar(value).map { categories.contains($0.properties.generalCategory) } ?? false
        case .binary(let test): Unicode.Scalar(value).map { test($0.properties) } ?? false
        case .script(let ranges): Scripts.contains(ranges, value)
        }
    }

    /// Returns the content of `\p{name}`, ignoring case, spaces, hyphens and underscores; `nil` for an unknown name.
    static func named(_ name: String) -> ScalarSet.Content? {
        let parts = name.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(loose)
        if parts.count == 2 {
            switch parts[0] {
            case "gc", "generalcategory": return categories[parts[1]].map { .property(.category($0)) }
            case "sc", "script", "scx", "scriptextensions": return Scripts.ranges[parts[1]].map { .property(.script($0)) }
            default: return nil
            }
        }
        guard let key = parts.first else { return nil }
        switch key {
        case "any": return .everything
        case "ascii": return .ranges([0...0x7F])
        case "assigned": return .negation(.property(.category([.unassigned])))
        case "alnum": return .union([.property(.binary(\.isAlphabetic)), .digits])
        case "blank": return .horizontalSpace
        case "digit": return .digits
        case "graph": return graphic
        case "print": return .union([graphic, .property(.category([.spaceSeparator]))])
        case "word": return .word
        case "xdigit": return .union([.digits, .property(.binary(\.isHexDigit))])
        default: break
        }
        if let categories = categories[key] { return .property(.category(categories)) }
        if let test = binaries[key] { return .property(.binary(test)) }
        return Scripts.ranges[key].map { .property(.script($0)) }
    }

    private static let graphic =
        ScalarSet.Content.negation(.union([.whitespace, .property(.category([.control, .surrogate, .unassigned]))]))

    private static func loose(_ name: Substring) -> String { name.lowercased().filter { !" _-\t".contains($0) } }

    private static let categories: [String: Set<Unicode.GeneralCategory>] = {
        let letters: [(String, String, Unicode.GeneralCategory)] = [
            ("lu", "uppercaseletter", .uppercaseLetter), ("ll", "lowercaseletter", .lowercaseLetter),
            ("lt", "titlecaseletter", .titlecaseLetter), ("lm", "modifierletter", .modifierLetter), ("lo", "otherletter", .otherLetter),
            ("mn", "nonspacingmark", .nonspacingMark), ("mc", "spacingmark", .spacingMark), ("me", "enclosingmark", .enclosingMark),
            ("nd", "decimalnumber", .decimalNumber), ("nl", "letternumber", .letterNumber), ("no", "othernumber", .otherNumber),
            ("pc", "connectorpunctuation", .connectorPunctuation), ("pd", "dashpunctuation", .dashPunctuation),
            ("ps", "openpunctuation", .openPunctuation), ("pe", "closepunctuation", .closePunctuation),
            ("pi", "initialpunctuation", .initialPunctuation), ("pf", "finalpunctuation", .finalPunctuation),
            ("po", "otherpunctuation", .otherPunctuation), ("sm", "mathsymbol", .mathSymbol), ("sc", "currencysymbol", .currencySymbol),
            ("sk", "modifiersymbol", .modifierSymbol), ("so", "othersymbol", .otherSymbol), ("zs", "spaceseparator", .spaceSeparator),
            ("zl", "lineseparator", .lineSeparator), ("zp", "paragraphseparator", .paragraphSeparator), ("cc", "control", .control),
            ("cf", "format", .format), ("cs", "surrogate", .surrogate), ("co", "privateuse", .privateUse),
            ("cn", "unassigned", .unassigned),
        ]
        var categories: [String: Set<Unicode.GeneralCategory>] = [:]
        for (short, long, category) in letters {
            categories[short] = [category]
            categories[long] = [category]
            categories[String(short.prefix(1)), default: []].insert(category)
        }
        for (short, long) in [
            ("l", "letter"), ("m", "mark"), ("n", "number"), ("p", "punctuation"), ("s", "symbol"), ("z", "separator"), ("c", "other"),
        ] { categories[long] = categories[short] }
        categories["lc"] = [.uppercaseLetter, .lowercaseLetter, .titlecaseLetter]
        categories["casedletter"] = categories["lc"]
        categories["punct"] = categories["p"]
        categories["cntrl"] = [.control]
        return categories
    }()

    private static let binaries: [String: @Sendable (Unicode.Scalar.Properties) -> Bool] = [
        "alphabetic": \.isAlphabetic, "alpha": \.isAlphabetic, "uppercase": \.isUppercase, "upper": \.isUppercase,
        "lowercase": \.isLowercase, "lower": \.isLowercase, "whitespace": \.isWhitespace, "space": \.isWhitespace,
        "cased": \.isCased, "caseignorable": \.isCaseIgnorable, "hexdigit": \.isHexDigit, "hex": \.isHexDigit,
        "asciihexdigit": \.isASCIIHexDigit, "ahex": \.isASCIIHexDigit, "ideographic": \.isIdeographic, "ideo": \.isIdeographic,
        "unifiedideograph": \.isUnifiedIdeograph, "math": \.isMath, "dash": \.isDash, "diacritic": \.isDiacritic, "dia": \.isDiacritic,
        "emoji": \.isEmoji, "emojipresentation": \.isEmojiPresentation, "emojimodifier": \.isEmojiModifier,
        "quotationmark": \.isQuotationMark, "idstart": \.isIDStart, "ids": \.isIDStart, "idcontinue": \.isIDContinue,
        "idc": \.isIDContinue, "xidstart": \.isXIDStart, "xidcontinue": \.isXIDContinue, "patternsyntax": \.isPatternSyntax,
        "patternwhitespace": \.isPatternWhitespace, "extender": \.isExtender, "noncharactercodepoint": \.isNoncharacterCodePoint,
        "defaultignorablecodepoint": \.isDefaultIgnorableCodePoint, "variationselector": \.isVariationSelector,
    ]
}
