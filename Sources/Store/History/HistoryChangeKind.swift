/// The kind of a change in a history.
public enum HistoryChangeKind: UInt8, Sendable, Hashable, Codable {
    /// An object was inserted.
    case insert = 0
    /// Properties of an object changed.
    case update = 1
    /// An object was deleted.
    case delete = 2
}
