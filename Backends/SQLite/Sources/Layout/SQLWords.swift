/// The words of a statement that somebody else wrote, to be compared with names.
enum SQLWords {
    /// Keywords, names and numbers, in upper case; what stands between quotes as well.
    static func of(_ sql: String) -> [String] {
        sql.uppercased().split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
    }
}
