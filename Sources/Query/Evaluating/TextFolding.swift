// The standard library has canonical decomposition but does not declare it public; Foundation's folding would bring ICU into the core.
@_spi(_Unicode) import Swift

/// Prepares text for comparisons without regard to case or diacritics.
public enum TextFolding {
    /// The text with the differences removed that `options` ignores.
    ///
    /// Case goes by the full mappings of Unicode, so that `ß` and `SS` fold alike, and no locale matters.
    public static func fold(_ text: String, _ options: QueryComparison.Options) -> String {
        if options.isEmpty { return text }
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return options.contains(.caseInsensitive) ? text.lowercased() : text }
        var text = text
        if options.contains(.diacriticInsensitive) {
            var scalars = String.UnicodeScalarView()
            for scalar in text._nfd where scalar.properties.generalCategory != .nonspacingMark { scalars.append(scalar) }
            text = String(scalars)
        }
        return options.contains(.caseInsensitive) ? text.uppercased().lowercased() : text
    }
}
