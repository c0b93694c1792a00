/// How a to-many relationship is changed, for code that announces it by hand.
public enum NSKeyValueSetMutationKind: UInt, Sendable {
    /// Members come.
    case union = 1
    /// Members go.
    case minus
    /// Only some members stay.
    case intersect
    /// All members are replaced.
    case set
}
