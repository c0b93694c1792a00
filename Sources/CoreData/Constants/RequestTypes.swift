/// The kinds of requests to a store.
public enum NSPersistentStoreRequestType: UInt, Hashable, Sendable {
    /// A fetch of objects.
    case fetchRequestType = 1
    /// A save of changed objects.
    case saveRequestType = 2
    /// An insertion of many rows at once.
    case batchInsertRequestType = 5
    /// A change of many rows at once.
    case batchUpdateRequestType = 6
    /// A deletion of many rows at once.
    case batchDeleteRequestType = 7
}

/// The kinds of results of a fetch.
public struct NSFetchRequestResultType: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// Some bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Managed objects.
    public static let managedObjectResultType = NSFetchRequestResultType([])
    /// The IDs of objects.
    public static let managedObjectIDResultType = NSFetchRequestResultType(rawValue: 1)
    /// Dictionaries of the properties to fetch.
    public static let dictionaryResultType = NSFetchRequestResultType(rawValue: 2)
    /// The number of objects.
    public static let countResultType = NSFetchRequestResultType(rawValue: 4)
}
