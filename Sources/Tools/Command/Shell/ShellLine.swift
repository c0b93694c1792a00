import StrataStoreTool

/// A line of the shell: words, of which those with white space are in quotes, and the query of commands that take one.
struct ShellLine {
    /// The words; `nil` for an empty line or a comment.
    let words: [String]?

    /// The commands whose rest is a query, and their options that take a value.
    private static let querying = ["query", "count", "export"]
    private static let valued = ["--format", "--output", "-o"]

    /// Divides a line.
    ///
    /// - Throws: `CommandFailure` where a quoted word does not end.
    init(_ line: String) throws {
        var rest = line.trimmed[...]
        guard let command = rest.split(maxSplits: 1, whereSeparator: \.isWhitespace).first, !command.hasPrefix("#") else {
            words = nil
            return
        }
        guard ShellLine.querying.contains(String(command)) else {
            words = try ShellLine.words(of: rest)
            return
        }
        rest = rest[command.endIndex...].drop(while: \.isWhitespace)
        var found = [String(command)]
        while rest.hasPrefix("-") {
            let option = rest.prefix { !$0.isWhitespace }
            found.append(String(option))
            rest = rest[option.endIndex...].drop(while: \.isWhitespace)
            if ShellLine.valued.contains(String(option)) {
                let (word, end) = try ShellLine.word(of: rest)
                found.append(word)
                rest = rest[end...].drop(while: \.isWhitespace)
            }
        }
        // An entity's name begins with no quote: a quoted query is one as in the system's shell.
        if rest.hasPrefix("'") || rest.hasPrefix("\"") { found += try ShellLine.words(of: rest) } else { found.append(String(rest)) }
        words = found
    }

    /// Returns a word as the system's shell takes it.
    static func quoted(_ word: String) -> String { "'\(word.replacing("'", with: "'\\''"))'" }

    private static func words(of text: Substring) throws -> [String] {
        var (words, rest) = ([String](), text)
        while !rest.isEmpty {
            let (word, end) = try word(of: rest)
            words.append(word)
            rest = rest[end...].drop(while: \.isWhitespace)
        }
        return words
    }

    /// Returns the first word of a text without its quotes, and its end.
    private static func word(of text: Substring) throws -> (String, String.Index) {
        var word = ""
        var index = text.startIndex
        var quote: Character?
        while index < text.endIndex {
            let character = text[index]
            if let open = quote {
                if character == open { quote = nil } else { word.append(character) }
            } else if character.isWhitespace {
                break
            } else if character == "'" || character == "\"" {
                quote = character
            } else {
                word.append(character)
            }
            index = text.index(after: index)
        }
        if quote != nil { throw CommandFailure(.usage, "the quoted text does not end: \(text)") }
        return (word, index)
    }
}
