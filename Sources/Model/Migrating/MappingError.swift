/// Why no mapping from one version of a model to another can be inferred.
public struct MappingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of obstacle.
    public enum Reason: Sendable, Hashable {
        /// Two entities, or two properties of one, were renamed from the same.
        case ambiguousRenaming
        /// An attribute has another type, to which its values cannot be brought without loss.
        case typeChange
    }

    /// The kind of obstacle.
    public let reason: Reason
    /// The entity in the destination.
    public let entity: String
    /// The property in the destination, `nil` where it is the entity itself.
    public let property: String?
    /// The whole story in one sentence.
    public let message: String

    init(_ reason: Reason, entity: String, property: String? = nil, _ message: String) {
        self.reason = reason
        self.entity = entity
        self.property = property
        self.message = message
    }

    /// Core Data's code of a mapping that cannot be inferred.
    public var cocoaCode: Int { 134190 }

    public var description: String {
        "no mapping can be inferred for \(entity)\(property.map { "." + $0 } ?? ""): \(message)"
    }
}
