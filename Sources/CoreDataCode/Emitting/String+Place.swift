extension String {
    /// Where a text begins and ends in this one; `nil` where it is no part of it.
    func place(of text: String) -> Range<Index>? {
        indices.first { self[$0...].hasPrefix(text) }.map { $0..<index($0, offsetBy: text.count) }
    }
}
