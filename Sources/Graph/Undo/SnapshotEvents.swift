/// The reasons why an object's values were replaced; see ``ManagedObject/awake(fromSnapshotEvents:)``.
public struct SnapshotEvents: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// Creates events from their bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// An object was removed because its insertion was undone.
    public static let undoInsertion = SnapshotEvents(rawValue: 1 << 1)
    /// An object was restored because its deletion was undone, or its insertion redone.
    public static let undoDeletion = SnapshotEvents(rawValue: 1 << 2)
    /// An object's changes were undone or redone.
    public static let undoUpdate = SnapshotEvents(rawValue: 1 << 3)
    /// An object's changes were discarded by ``ManagedObjectContext/rollback()``.
    public static let rollback = SnapshotEvents(rawValue: 1 << 4)
    /// An object was read anew, its changes kept.
    public static let refresh = SnapshotEvents(rawValue: 1 << 5)
}
