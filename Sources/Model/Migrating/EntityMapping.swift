/// Collects the entity mappings of a mapping model.
public typealias EntityMappingBuilder = ListBuilder<EntityMapping>

/// Collects the property mappings of an entity mapping.
public typealias PropertyMappingBuilder = ListBuilder<PropertyMapping>

/// The mapping of objects of one entity to objects of another.
///
/// ```swift
/// EntityMapping(from: "Person", to: "Person", where: "name != nil") {
///     PropertyMapping("label", "uppercase:($source.name)")
/// }
/// ```
public struct EntityMapping: Sendable, Hashable {
    /// The kinds of entity mappings in Core Data.
    public enum Kind: String, Sendable, Hashable {
        /// The entity is new: it gets no objects.
        case add
        /// The entity was removed: its objects are deleted.
        case remove
        /// The objects are copied unchanged.
        case copy
        /// The objects get other properties.
        case transform
        /// A policy, a condition, or several mappings of one entity determine the result.
        case custom
    }

    /// The name that other mappings and policies refer to, unique in a mapping model: `PersonToContact` by default.
    public let name: String
    /// The treatment of the objects.
    public let kind: Kind
    /// The name of the entity in the source, `nil` for one that is new.
    public let source: String?
    /// The name of the entity in the destination, `nil` for one that was removed.
    public let destination: String?
    /// The mappings of properties of the destination.
    ///
    /// In a mapping model there is one for each stored property, also inherited, in their order; some are inferred.
    public let properties: [PropertyMapping]
    /// The condition, in the format language, that objects of the source have to meet; `nil` for all.
    ///
    /// Objects of sub-entities have mappings of their own.
    public let condition: String?
    /// The name of the policy that makes the objects; `nil` for the standard one, which follows the mapping.
    public let policy: String?
    /// Custom data of the application, for its policies.
    public let userInfo: [String: String]

    /// Creates a mapping with the parts that cannot be inferred.
    ///
    /// - Parameters:
    ///   - name: The name by which others refer to it; `nil` for the names of both entities with `To` between them.
    ///   - source: The name of the entity in the source; `nil` if a policy makes objects without sources.
    ///   - destination: The name of the entity in the destination; `nil` if objects are deleted.
    ///   - condition: A condition in the format language; objects that do not meet it are skipped.
    ///   - policy: The name of the policy that makes the objects.
    ///   - userInfo: Custom data for policies.
    ///   - properties: The properties that cannot be inferred.
    public init(
        _ name: String? = nil, from source: String?, to destination: String?, where condition: String? = nil, policy: String? = nil,
        userInfo: [String: String] = [:], @PropertyMappingBuilder _ properties: () -> [PropertyMapping] = { [] }
    ) {
        self.init(
            name: name, kind: .custom, source: source, destination: destination, properties: properties(), condition: condition,
            policy: policy, userInfo: userInfo)
    }

    init(
        name: String? = nil, kind: Kind, source: String?, destination: String?, properties: [PropertyMapping], condition: String? = nil,
        policy: String? = nil, userInfo: [String: String] = [:]
    ) {
        self.name = name ?? [source, destination].compactMap(\.self).joined(separator: "To")
        self.kind = kind
        self.source = source
        self.destination = destination
        self.properties = properties
        self.condition = condition
        self.policy = policy
        self.userInfo = userInfo
    }

    /// Returns the mapping of a property of the destination; `nil` if there is none.
    public func mapping(of property: String) -> PropertyMapping? { properties.first { $0.name == property } }

    /// Whether it contains no more than could be inferred.
    var isPlain: Bool { condition == nil && policy == nil && properties.allSatisfy(\.isPlain) }

    func with(kind: Kind, properties: [PropertyMapping]) -> EntityMapping {
        EntityMapping(
            name: name, kind: kind, source: source, destination: destination, properties: properties, condition: condition, policy: policy,
            userInfo: userInfo)
    }
}
