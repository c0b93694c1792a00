/// How long a store keeps the transactions of its history.
///
/// ```swift
/// var description = StoreDescription(.sqlite, path: "zoo.sqlite")
/// description.options.history = .keeping(days: 30)
/// ```
/// The oldest transactions are deleted with later saves, never past a registered consumer that has not reached them.
public struct HistoryPolicy: Sendable, Hashable {
    /// The greatest age of a transaction, in seconds; `nil` for any.
    public var maximumAge: Double?
    /// The greatest number of bytes of all transactions; `nil` for any.
    public var maximumByteCount: Int?

    /// Creates a policy, by default one that keeps all transactions.
    public init(maximumAge: Double? = nil, maximumByteCount: Int? = nil) {
        self.maximumAge = maximumAge
        self.maximumByteCount = maximumByteCount
    }

    /// Keeps all transactions until the application deletes them.
    public static let unlimited = HistoryPolicy()

    /// Keeps the transactions of some days, and no more than some bytes.
    public static func keeping(days: Double, maximumByteCount: Int? = nil) -> HistoryPolicy {
        HistoryPolicy(maximumAge: days * 86_400, maximumByteCount: maximumByteCount)
    }
}
