/// Simple case folding: one scalar to one scalar.
enum ScalarFolding {
    /// Returns the common scalar of all case variants of a scalar.
    ///
    /// The dotless `ı` is distinct from `i`, and scalars that fold to several, such as `ß`, are unchanged.
    @inline(__always)
    static func fold(_ scalar: UInt32) -> UInt32 {
        if scalar < 0x80 { return scalar &- 0x41 < 26 ? scalar | 0x20 : scalar }
        if scalar < tabulated { return UInt32(table[Int(scalar)]) }
        return hasNoCase(scalar) ? scalar : computed(scalar)
    }

    /// Returns whether a scalar is in a large block without case: ideographs, kana, syllables of Hangul.
    @inline(__always)
    static func hasNoCase(_ scalar: UInt32) -> Bool { 0x2E80..<0xA640 ~= scalar || 0xAC00..<0xE000 ~= scalar }

    /// Returns whether other scalars fold to this one.
    static func hasVariants(_ folded: UInt32) -> Bool {
        if folded < 0x80 { return 0x61...0x7A ~= folded }
        // False positives cost a comparison, false negatives miss a variant.
        return !hasNoCase(folded)
    }

    private static let tabulated: UInt32 = 0x2000
    private static let table: [UInt16] = (0..<tabulated).map { UInt16(truncatingIfNeeded: computed($0)) }

    private static func computed(_ value: UInt32) -> UInt32 {
        guard value != 0x131, let scalar = Unicode.Scalar(value) else { return value }
        // Up and down again: ς and σ meet in Σ, ſ and s in S; first down, for ẞ.
        return single(single(single(scalar, \.lowercaseMapping), \.uppercaseMapping), \.lowercaseMapping).value
    }

    private static func single(_ scalar: Unicode.Scalar, _ mapping: KeyPath<Unicode.Scalar.Properties, String>) -> Unicode.Scalar {
        let mapped = scalar.properties[keyPath: mapping].unicodeScalars
        return mapped.count == 1 ? mapped.first ?? scalar : scalar
    }
}
