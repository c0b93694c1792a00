import StrataWorkload

/// When a raw participant makes the entries of its indexes while it imports.
protocol IndexOrder: SendableMetatype {
    static var participant: String { get }
    static var isDeferred: Bool { get }
}

/// With each row: the indexes are there before the first.
enum IndexPresent: IndexOrder {
    static let participant = "raw SQLite"
    static let isDeferred = false
}

/// After the last row: the indexes are dropped for the import, as those do who know that much comes.
enum IndexDeferred: IndexOrder {
    static let participant = "raw SQLite, index last"
    static let isDeferred = true
}
