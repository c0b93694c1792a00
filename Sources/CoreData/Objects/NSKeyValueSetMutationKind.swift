/// How a to-many relationship is changed, for code that announces it by hand.
public enum NSKeyValueSetMutationKind: UInt, Sendable {
    /// Members are added.
    case union = 1
    /// Members are removed.
    case minus
    /// Only the given members stay.
    case intersect
    /// All members are replaced.
    case set
}
