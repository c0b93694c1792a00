extension Collection where Element: CustomStringConvertible {
    /// The first elements in words, and how many there are beside them: a message is for people.
    package var listed: String {
        let most = 10
        let words = prefix(most).map(\.description).joined(separator: "; ")
        return count > most ? "\(words); and \(count - most) more" : words
    }
}
