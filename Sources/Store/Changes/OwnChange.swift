/// A value that a store changed itself while applying changes, as by database triggers.
public struct OwnChange: Sendable, Hashable {
    /// The object.
    public let object: ObjectReference
    /// The name of the property.
    public let property: String

    /// Creates a property of an object.
    public init(_ object: ObjectReference, _ property: String) {
        self.object = object
        self.property = property
    }
}
