/// An option of `@Relationship` beside the delete rule and the inverse.
public struct RelationshipOption: Sendable {
    private init() {}

    /// The destinations keep an order; the property is an array.
    public static let ordered = RelationshipOption()
}
