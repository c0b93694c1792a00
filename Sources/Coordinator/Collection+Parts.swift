extension Collection where Element: CustomStringConvertible {
    /// The first elements and the number of others, for messages.
    package var listed: String {
        let most = 10
        let words = prefix(most).map(\.description).joined(separator: "; ")
        return count > most ? "\(words); and \(count - most) more" : words
    }
}

extension Array {
    /// Returns the elements in slices of a length, the last of which may be shorter.
    func slices(of length: Int) -> some Sequence<ArraySlice<Element>> {
        stride(from: 0, to: count, by: length).lazy.map { self[$0..<Swift.min($0 + length, count)] }
    }
}
