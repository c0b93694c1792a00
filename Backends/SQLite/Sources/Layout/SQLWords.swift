/// The words of a statement from another program, to be compared with names.
enum SQLWords {
    /// Keywords, names and numbers, in upper case, and the content of quotes.
    static func of(_ sql: String) -> [String] {
        sql.uppercased().split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
    }
}
