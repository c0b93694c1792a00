/// What `@Relationship` says of a relationship beside its rule and its inverse.
public struct RelationshipOption: Sendable {
    private init() {}

    /// The destinations keep an order; the property is an array.
    public static let ordered = RelationshipOption()
}
