// The standard library has canonical decomposition, but not as public API; Foundation's folding would link ICU.
@_spi(_Unicode) public import Swift

/// Folds text for comparisons that ignore case or diacritics.
///
/// Case goes by the full mappings of Unicode and no locale: `ß`, `ẞ` and `SS` fold alike, so do `σ` and `ς`, `K` and
/// the Kelvin sign, `ﬁ` and `FI`; the dotless `ı` is distinct from `i`, and `İ` is `i` with a dot. Without diacritics,
/// text is decomposed and loses its marks: `é` and `e` with an accent both become `e`. If only case is ignored,
/// composed and decomposed letters are distinct, as in plain comparison.
public enum TextFolding {
    /// Returns the text with the differences removed that `options` ignores.
    public static func fold(_ text: String, _ options: TextOptions) -> String {
        let options = options.folding
        if options.isEmpty { return text }
        var text = text
        var folded: [UInt8] = []
        text.withUTF8 { unsafe fold(UnsafeRawBufferPointer($0), options, into: &folded) }
        return String(decoding: folded, as: UTF8.self)
    }

    /// Replaces `folded` by the text without the differences that `options` ignores.
    public static func fold(_ text: UnsafeRawBufferPointer, _ options: TextOptions, into folded: inout [UInt8]) {
        var groups: [Range<Int>]?
        unsafe fold(text, options, into: &folded, noting: &groups)
    }

    /// Replaces `folded` by the text without the differences that `options` ignores.
    ///
    /// - Parameters:
    ///   - text: The text in UTF-8.
    ///   - options: Which differences are ignored.
    ///   - folded: Receives the folded text.
    ///   - groups: Receives the ranges of `folded`, in ascending order, that one scalar was folded to; `nil` where they are not needed.
    public static func fold(
        _ text: UnsafeRawBufferPointer, _ options: TextOptions, into folded: inout [UInt8], noting groups: inout [Range<Int>]?
    ) {
        folded.removeAll(keepingCapacity: true)
        guard let table = FoldingTable.table(options.folding) else {
            unsafe folded.append(contentsOf: text)
            return
        }
        let bytes = unsafe text.assumingMemoryBound(to: UInt8.self)
        var offset = 0
        while offset < bytes.count {
            let end = unsafe ASCIIText.endOfASCII(text, from: offset)
            if end > offset {
                let start = folded.count
                unsafe folded.append(contentsOf: UnsafeRawBufferPointer(rebasing: text[offset..<end]))
                if table.ignoresCase { unsafe folded.withUnsafeMutableBytes { unsafe ASCIIText.lowerLetters(of: $0, from: start) } }
                offset = end
                continue
            }
            let (scalar, count) = unsafe bytes.scalar(at: offset)
            let start = folded.count
            guard table.append(scalar, to: &folded) else {
                // Decomposition may reorder marks, so the text is folded as a whole.
                let text = unsafe String(decoding: text, as: UTF8.self)
                folded = Array(scalarByScalar(text, options.folding).utf8)
                if groups != nil { groups = self.groups(of: text, options.folding, within: folded) }
                return
            }
            if groups != nil, isSeveral(folded[start...]) { groups?.append(start..<folded.count) }
            offset += count
        }
    }

    /// Returns the ranges of several scalars of a folded text for one of the text; none if marks were reordered.
    private static func groups(of text: String, _ options: TextOptions, within folded: [UInt8]) -> [Range<Int>] {
        var (groups, joined): ([Range<Int>], [UInt8]) = ([], [])
        for scalar in text.unicodeScalars {
            let start = joined.count
            joined += scalarByScalar(String(Character(scalar)), options).utf8
            if isSeveral(joined[start...]) { groups.append(start..<joined.count) }
        }
        return joined == folded ? groups : []
    }

    /// Returns whether some bytes of UTF-8 are more than one scalar.
    private static func isSeveral(_ bytes: ArraySlice<UInt8>) -> Bool { bytes.dropFirst().contains { $0 & 0xC0 != 0x80 } }

    /// Returns whether folding case may turn a scalar beyond ASCII into one of some letters, given as a bit each from `a` on.
    public static func mayMake(_ letters: UInt32, of text: UnsafeRawBufferPointer) -> Bool {
        let bytes = unsafe text.assumingMemoryBound(to: UInt8.self)
        var offset = 0
        while offset < bytes.count {
            offset = unsafe ASCIIText.endOfASCII(text, from: offset)
            if offset == bytes.count { break }
            let (scalar, count) = unsafe bytes.scalar(at: offset)
            if FoldingTable.lettersMade(of: scalar) & letters != 0 { return true }
            offset += count
        }
        return false
    }

    /// Folds by the standard library's properties of each scalar.
    static func scalarByScalar(_ text: String, _ options: TextOptions) -> String {
        var scalars = String.UnicodeScalarView()
        if options.contains(.diacriticInsensitive) {
            for scalar in text._nfd where scalar.properties.generalCategory != .nonspacingMark { scalars.append(scalar) }
        } else {
            scalars = text.unicodeScalars
        }
        guard options.contains(.caseInsensitive) else { return String(scalars) }
        var folded = String.UnicodeScalarView()
        for scalar in scalars {
            if scalar == "ı" {
                folded.append(scalar)
                continue
            }
            // Down first, for ẞ; up and down again, so that all variants meet in their capital.
            for lower in scalar.properties.lowercaseMapping.unicodeScalars {
                for upper in lower.properties.uppercaseMapping.unicodeScalars {
                    folded.append(contentsOf: upper.properties.lowercaseMapping.unicodeScalars)
                }
            }
        }
        return String(folded)
    }
}

/// The foldings of scalars below U+2000, computed once per process.
private struct FoldingTable: Sendable {
    let ignoresCase: Bool
    private let ignoresDiacritics: Bool
    /// The scalar, 0 for none, ``several`` for an entry of ``texts``.
    private let scalars: [UInt16]
    private let texts: [UInt32: [UInt8]]

    private static let count: UInt32 = 0x2000
    private static let several: UInt16 = 0xFFFF

    private init(_ options: TextOptions) {
        ignoresCase = options.contains(.caseInsensitive)
        ignoresDiacritics = options.contains(.diacriticInsensitive)
        var scalars: [UInt16] = []
        var texts: [UInt32: [UInt8]] = [:]
        for value in 0..<FoldingTable.count {
            let text = Unicode.Scalar(value).map { TextFolding.scalarByScalar(String(Character($0)), options) } ?? ""
            if text.unicodeScalars.count <= 1 {
                scalars.append(text.unicodeScalars.first.map { UInt16(truncatingIfNeeded: $0.value) } ?? 0)
            } else {
                scalars.append(FoldingTable.several)
                texts[value] = Array(text.utf8)
            }
        }
        self.scalars = scalars
        self.texts = texts
    }

    /// Returns the ASCII letters that a scalar folds to if case is ignored, a bit each from `a` on.
    static func lettersMade(of scalar: UInt32) -> UInt32 {
        if scalar < count { return letters[Int(scalar)] }
        // Beyond the table these are the Kelvin sign and the Latin ligatures.
        return scalar == 0x212A || 0xFB00...0xFB06 ~= scalar ? ASCIIText.allLetters : 0
    }

    private static let letters: [UInt32] = (0..<count).map { scalar in
        guard scalar >= 0x80 else { return 0 }
        var folded: [UInt8] = []
        _ = caseOnly.append(scalar, to: &folded)
        return ASCIIText.letters(of: folded)
    }

    private static let both = FoldingTable([.caseInsensitive, .diacriticInsensitive])
    private static let caseOnly = FoldingTable(.caseInsensitive)
    private static let diacriticsOnly = FoldingTable(.diacriticInsensitive)

    static func table(_ options: TextOptions) -> FoldingTable? {
        switch options {
        case [.caseInsensitive, .diacriticInsensitive]: both
        case .caseInsensitive: caseOnly
        case .diacriticInsensitive: diacriticsOnly
        default: nil
        }
    }

    /// Appends the folding of a scalar; `false` for scalars beyond the table.
    func append(_ scalar: UInt32, to folded: inout [UInt8]) -> Bool {
        var scalar = scalar
        if scalar < FoldingTable.count {
            let found = scalars[Int(scalar)]
            if found == 0 { return true }
            if found == FoldingTable.several {
                folded.append(contentsOf: texts[scalar] ?? [])
                return true
            }
            scalar = UInt32(found)
        } else if !ignoresDiacritics ? !ScalarFolding.hasNoCase(scalar) : !(0x3400..<0xA000 ~= scalar) {
            return false
        }
        switch scalar {
        case 0..<0x80: folded.append(UInt8(scalar))
        case 0x80..<0x800:
            folded.append(UInt8(0xC0 | scalar >> 6))
            folded.append(UInt8(0x80 | scalar & 0x3F))
        default:
            folded.append(UInt8(0xE0 | scalar >> 12))
            folded.append(UInt8(0x80 | scalar >> 6 & 0x3F))
            folded.append(UInt8(0x80 | scalar & 0x3F))
        }
        return true
    }
}
