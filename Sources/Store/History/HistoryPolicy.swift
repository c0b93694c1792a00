/// How long a store keeps the transactions of its history.
///
/// ```swift
/// var description = StoreDescription(.sqlite, path: "zoo.sqlite")
/// description.options.history = .keeping(days: 30)
/// ```
/// The oldest transactions are deleted with later saves, never past a registered consumer that has not reached them. As this is done with
/// one of 64 transactions, the history may be larger or older meanwhile by as many.
public struct HistoryPolicy: Sendable, Hashable {
    /// The greatest age of a transaction, in seconds; `nil` for any.
    public var maximumAge: Double?
    /// The greatest number of bytes of all transactions; `nil` for any.
    public var maximumByteCount: Int?

    /// Whether transactions have before-images: the rows and links that they change, as they were before.
    ///
    /// `nil`, the default, leaves that as it is in the store: off, in a new one. A store that was opened with `true` keeps them until it is
    /// opened with `false`. Contexts can read the past with them, see `ManagedObjectContext.setQueryGeneration(asOf:)`.
    ///
    /// The cost: each save reads the rows that it updates or deletes once more, and writes the former values of the updated attributes and
    /// of whole deleted objects, with large values; batch requests change object by object. Insertions cost nothing. A store whose history
    /// is in Core Data's tables is refused with `unsupported`.
    public var keepsValues: Bool?

    /// Creates a policy, by default one that keeps all transactions.
    public init(maximumAge: Double? = nil, maximumByteCount: Int? = nil, keepsValues: Bool? = nil) {
        self.maximumAge = maximumAge
        self.maximumByteCount = maximumByteCount
        self.keepsValues = keepsValues
    }

    /// Keeps all transactions until the application deletes them.
    public static let unlimited = HistoryPolicy()

    /// Keeps the transactions of some days, and no more than some bytes.
    public static func keeping(days: Double, maximumByteCount: Int? = nil, keepsValues: Bool? = nil) -> HistoryPolicy {
        HistoryPolicy(maximumAge: days * 86_400, maximumByteCount: maximumByteCount, keepsValues: keepsValues)
    }
}
