// For canonical decomposition, as in TextFolding.
@_spi(_Unicode) public import Swift

/// A collation for readers, the same on every machine and in every locale.
///
/// Text is compared by letters first, whatever their case and diacritics: spaces come before punctuation, that before
/// symbols, these before digits and digits before letters; letters go by script, as Unicode numbers them, and Latin
/// ones that have no decomposition follow their base (`ø` with `o`, `æ` with `ae`, `ß` with `ss`). Only where all
/// letters are equal, diacritics decide, then case, the small letter first, and at last the bytes, so that no two
/// different texts are equal. `[d]` ignores diacritics; `[c]` ignores case and bytes. With ``TextOptions/numeric``,
/// runs of digits are ordered by their number.
///
/// Texts are ordered by keys of bytes: make the key of each once, then compare keys.
public struct Collation: Sendable {
    private let ignoresCase: Bool
    private let ignoresDiacritics: Bool
    private let isNumeric: Bool
    #if ICU && canImport(_FoundationICU)
        /// The order of the options' locale.
        private let localized: LocalizedCollation?
    #endif

    /// Creates the collation of `[l]` and a sort key's options.
    public init(_ options: TextOptions) {
        ignoresCase = options.contains(.caseInsensitive)
        ignoresDiacritics = options.contains(.diacriticInsensitive)
        isNumeric = options.contains(.numeric)
        #if ICU && canImport(_FoundationICU)
            localized = LocalizedCollation.of(options)
        #endif
    }

    /// Returns the key of a text; keys order by their bytes as their texts do.
    public func key(_ text: String) -> [UInt8] {
        var text = text
        var key: [UInt8] = []
        text.withUTF8 { unsafe appendKey(of: UnsafeRawBufferPointer($0), to: &key) }
        return key
    }

    /// Appends the key of a text, which is UTF-8.
    ///
    /// - Complexity: O(n); texts of ASCII allocate memory only for `key`.
    public func appendKey(of text: UnsafeRawBufferPointer, to key: inout [UInt8]) {
        #if ICU && canImport(_FoundationICU)
            if let localized {
                unsafe localized.appendKey(of: text, to: &key)
                if !ignoresCase && !ignoresDiacritics { unsafe key.append(contentsOf: text) }
                return
            }
        #endif
        if unsafe ASCIIText.isASCII(text) {
            unsafe appendASCIIKey(of: text, to: &key)
        } else {
            unsafe appendUnicodeKey(of: text, to: &key)
        }
        // Texts that are equal on all levels are ordered by their bytes.
        if !ignoresCase && !ignoresDiacritics { unsafe key.append(contentsOf: text) }
    }

    // MARK: - Levels

    private static let levelEnd: UInt8 = 0
    /// The weight of a letter without diacritics on the second level, of a small letter on the third.
    private static let common: UInt8 = 2
    private static let capital: UInt8 = 3
    private static let mark: UInt8 = 4
    private static let variant: UInt8 = 5

    private static let digit: UInt8 = 0x20
    private static let latin: UInt8 = 0x30
    private static let letter: UInt8 = 0x60

    private func appendASCIIKey(of text: UnsafeRawBufferPointer, to key: inout [UInt8]) {
        var offset = 0
        var capitals = 0
        while offset < text.count {
            let byte = unsafe text[offset]
            let lowered = ASCIIText.lowered(byte)
            offset += 1
            if 0x61...0x7A ~= lowered {
                key.append(Collation.latin + lowered - 0x61)
                if lowered != byte { capitals = offset }
            } else if 0x30...0x39 ~= byte {
                if isNumeric {
                    let start = offset - 1
                    while offset < text.count, unsafe 0x30...0x39 ~= text[offset] { offset += 1 }
                    unsafe Collation.appendNumber(UnsafeRawBufferPointer(rebasing: text[start..<offset]), to: &key)
                } else {
                    key.append(Collation.digit + byte - 0x30)
                }
            } else {
                key.append(Collation.asciiClasses[Int(byte)])
                key.append(byte)
            }
        }
        key.append(Collation.levelEnd)
        if !ignoresDiacritics { key.append(Collation.levelEnd) }
        if ignoresCase { return }
        offset = 0
        // Common weights after the last capital are left out.
        while offset < capitals {
            let byte = unsafe text[offset]
            offset += 1
            if isNumeric && 0x30...0x39 ~= byte { while offset < capitals, unsafe 0x30...0x39 ~= text[offset] { offset += 1 } }
            key.append(byte &- 0x41 < 26 ? Collation.capital : Collation.common)
        }
        key.append(Collation.levelEnd)
    }

    private func appendUnicodeKey(of text: UnsafeRawBufferPointer, to key: inout [UInt8]) {
        var diacritics: [UInt8] = []
        var cases: [UInt8] = []
        var digits: [UInt8] = []
        func endNumber() {
            if digits.isEmpty { return }
            unsafe digits.withUnsafeBytes { unsafe Collation.appendNumber($0, to: &key) }
            digits.removeAll(keepingCapacity: true)
            diacritics.append(Collation.common)
            cases.append(Collation.common)
        }
        for scalar in unsafe String(decoding: text, as: UTF8.self)._nfd {
            let properties = scalar.properties
            let category = properties.generalCategory
            if category == .nonspacingMark {
                endNumber()
                Collation.append(Collation.mark, scalar, to: &diacritics)
                continue
            }
            if category == .decimalNumber, let value = properties.numericValue, let digit = UInt8(exactly: value), digit < 10 {
                if isNumeric {
                    digits.append(0x30 + digit)
                    continue
                }
                key.append(Collation.digit + digit)
                diacritics.append(Collation.common)
                cases.append(Collation.common)
                continue
            }
            endNumber()
            guard category.isLetter else {
                Collation.append(Collation.classOf(category), scalar, to: &key)
                diacritics.append(Collation.common)
                cases.append(Collation.common)
                continue
            }
            let isCapital = category == .uppercaseLetter || category == .titlecaseLetter
            var isBase = false
            for folded in TextFolding.scalarByScalar(String(Character(scalar)), .caseInsensitive).unicodeScalars {
                let bases = Collation.bases[folded]
                for base in (bases ?? String(Character(folded))).unicodeScalars {
                    if 0x61...0x7A ~= base.value {
                        key.append(Collation.latin + UInt8(base.value - 0x61))
                    } else {
                        Collation.append(Collation.letter, base, to: &key)
                    }
                    diacritics.append(Collation.common)
                    cases.append(isCapital && !isBase ? Collation.capital : Collation.common)
                    isBase = true
                }
                if bases != nil { Collation.append(Collation.variant, folded, to: &diacritics) }
            }
        }
        endNumber()
        key.append(Collation.levelEnd)
        if !ignoresDiacritics { Collation.append(level: diacritics, to: &key) }
        if !ignoresCase { Collation.append(level: cases, to: &key) }
    }

    /// Appends a level without trailing common weights, which does not change the order.
    private static func append(level: [UInt8], to key: inout [UInt8]) {
        var count = level.count
        while count > 0, level[count - 1] == common { count -= 1 }
        key.append(contentsOf: level[..<count])
        key.append(levelEnd)
    }

    /// Appends a class and the scalar within it; UTF-8 sorts as the scalars' numbers do.
    private static func append(_ class: UInt8, _ scalar: Unicode.Scalar, to key: inout [UInt8]) {
        key.append(`class`)
        key.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }

    /// Appends a run of digits so that it sorts by its number: the count of significant digits, and then these.
    private static func appendNumber(_ digits: UnsafeRawBufferPointer, to key: inout [UInt8]) {
        let significant = unsafe digits.drop { $0 == 0x30 }
        key.append(digit)
        var count = unsafe significant.count
        while count >= 0xFF {
            key.append(0xFF)
            count -= 0xFF
        }
        key.append(UInt8(count))
        unsafe key.append(contentsOf: significant)
    }

    // MARK: - Classes

    private static func classOf(_ category: Unicode.GeneralCategory) -> UInt8 {
        switch category {
        case .control, .format, .surrogate, .unassigned: 0x10
        case .spaceSeparator, .lineSeparator, .paragraphSeparator: 0x11
        case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation, .finalPunctuation,
            .otherPunctuation:
            0x12
        case .mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol, .enclosingMark, .spacingMark, .privateUse: 0x13
        default: 0x2F
        }
    }

    private static let asciiClasses: [UInt8] = (0..<128).map { classOf(Unicode.Scalar(UInt8($0)).properties.generalCategory) }

    /// Latin letters that do not decompose, in lowercase, and their bases.
    private static let bases: [Unicode.Scalar: String] = [
        "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "ł": "l", "ŋ": "n", "ŧ": "t", "ƀ": "b", "ȼ": "c", "ɇ": "e",
        "ɉ": "j", "ɨ": "i", "ƶ": "z", "þ": "th",
    ]
}

extension Unicode.GeneralCategory {
    fileprivate var isLetter: Bool {
        switch self {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: true
        default: false
        }
    }
}
