extension Collection where Element: CustomStringConvertible {
    /// The first elements and the number of others, for messages.
    package var listed: String {
        let most = 10
        let words = prefix(most).map(\.description).joined(separator: "; ")
        return count > most ? "\(words); and \(count - most) more" : words
    }
}
