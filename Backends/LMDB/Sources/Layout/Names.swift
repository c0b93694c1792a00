import StrataFiles

/// The names of the databases in a file, and of the records in the first of them.
enum Names {
    /// The database of the records below.
    static let store = "strata"
    /// The transactions of the store's history.
    static let history = "history"

    static let format = "format"
    static let metadata = "metadata"
    static let catalog = "catalog"
    static let generation = "generation"
    static func lastReference(root: String) -> String { fitting("last:" + root) }

    static func rows(root: String) -> String { fitting("rows:" + root) }
    static func index(_ name: String, of entity: String) -> String { fitting("index:\(entity):\(name)") }
    static func inverse(_ relationship: String, of entity: String) -> String { fitting("inverse:\(entity):\(relationship)") }
    static func unique(_ attributes: [String], of entity: String) -> String {
        fitting("unique:\(entity):\(attributes.joined(separator: ","))")
    }
    static func links(_ relationship: String, of entity: String, isSecond: Bool) -> String {
        fitting("links:\(entity):\(relationship):\(isSecond ? 2 : 1)")
    }

    /// Shortens a name to LMDB's 511 bytes, and removes NULs.
    private static func fitting(_ name: String) -> String {
        let bytes = Array(name.utf8)
        if bytes.count <= 200 && !bytes.contains(0) { return name }
        let start = String(decoding: bytes.prefix(160).filter { $0 != 0 }, as: UTF8.self)
        let reversed = CRC32C.checksum(of: bytes.reversed())
        return "\(start)~\(String(CRC32C.checksum(of: bytes), radix: 16))\(String(reversed, radix: 16))"
    }
}
