/// Why an object's values were replaced other than by setters and fetches; see ``ManagedObject/awake(fromSnapshotEvents:)``.
public struct SnapshotEvents: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// Some events by their bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// An object left because its insertion was taken back.
    public static let undoInsertion = SnapshotEvents(rawValue: 1 << 1)
    /// An object came back because its deletion was taken back, or its insertion done again.
    public static let undoDeletion = SnapshotEvents(rawValue: 1 << 2)
    /// An object's changes were taken back, or done again.
    public static let undoUpdate = SnapshotEvents(rawValue: 1 << 3)
    /// An object's changes were taken back by ``ManagedObjectContext/rollback()``.
    public static let rollback = SnapshotEvents(rawValue: 1 << 4)
    /// An object was read anew, its changes kept.
    public static let refresh = SnapshotEvents(rawValue: 1 << 5)
}
