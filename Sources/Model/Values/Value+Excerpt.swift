extension Value {
    /// The value in an error message: of a long one the beginning.
    package var excerpt: String { excerpt(levels: 4) }

    private func excerpt(levels: Int) -> String {
        switch self {
        case .string(let text): return "\"\(text.excerpt(80))\""
        case .list(let values):
            if levels == 0 { return "{…}" }
            let most = 8
            let shown = values.prefix(most).map { $0.excerpt(levels: levels - 1) }.joined(separator: ", ")
            return values.count > most ? "{\(shown), … \(values.count) values}" : "{\(shown)}"
        default: return description.excerpt(200)
        }
    }
}

extension String {
    /// Returns the text in an error message: of a long one the beginning.
    ///
    /// Counted in scalars: one character may have any number of them.
    package func excerpt(_ length: Int) -> String {
        let beginning = unicodeScalars.prefix(length)
        return beginning.endIndex == endIndex ? self : String(beginning) + "…"
    }
}
