/// How conflicts with other saves are resolved.
public enum NSMergePolicyType: UInt, Hashable, Sendable {
    /// The save fails.
    case errorMergePolicyType = 0
    /// Property by property, the store's values win.
    case mergeByPropertyStoreTrumpMergePolicyType = 1
    /// Property by property, the context's values win.
    case mergeByPropertyObjectTrumpMergePolicyType = 2
    /// The context's object replaces the store's.
    case overwriteMergePolicyType = 3
    /// The store's object replaces the context's.
    case rollbackMergePolicyType = 4
}

/// Why an object's values were replaced other than by its setters.
public struct NSSnapshotEventType: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// Some bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The object's insertion was undone.
    public static let undoInsertion = NSSnapshotEventType(rawValue: 1 << 1)
    /// The object's deletion was undone.
    public static let undoDeletion = NSSnapshotEventType(rawValue: 1 << 2)
    /// Changes of the object were undone.
    public static let undoUpdate = NSSnapshotEventType(rawValue: 1 << 3)
    /// The context was rolled back.
    public static let rollback = NSSnapshotEventType(rawValue: 1 << 4)
    /// The object was refreshed, its changes kept.
    public static let refresh = NSSnapshotEventType(rawValue: 1 << 5)
    /// A merge policy settled a conflict of the object.
    public static let mergePolicy = NSSnapshotEventType(rawValue: 1 << 6)
}

/// The kind of change of an object or a section of a fetched results controller.
public enum NSFetchedResultsChangeType: UInt, Hashable, Sendable {
    /// It was inserted.
    case insert = 1
    /// It was deleted.
    case delete = 2
    /// It has another index path, and may have other values.
    case move = 3
    /// It has other values, and the same position in relation to the others.
    case update = 4
}
