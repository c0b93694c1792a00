extension String {
    /// Returns the range of a text in this one; `nil` if it does not contain it.
    func place(of text: String) -> Range<Index>? {
        indices.first { self[$0...].hasPrefix(text) }.map { $0..<index($0, offsetBy: text.count) }
    }
}
