/// Says how objects of one entity become objects of another.
///
/// ```swift
/// EntityMapping(from: "Person", to: "Person", where: "name != nil") {
///     PropertyMapping("label", "uppercase:($source.name)")
/// }
/// ```
public struct EntityMapping: Sendable, Hashable {
    /// What happens to the objects, as Core Data tells it apart.
    public enum Kind: String, Sendable, Hashable {
        /// The entity is new: no object becomes one of it.
        case add
        /// The entity is no more: its objects go.
        case remove
        /// The objects stay as they are.
        case copy
        /// The objects get other properties.
        case transform
        /// A policy, a condition, or several mappings of one entity determine what happens to the objects.
        case custom
    }

    /// The name by which other mappings and policies ask for it, unique within a mapping model: `PersonToContact` by default.
    public let name: String
    /// What happens to the objects.
    public let kind: Kind
    /// The name of the entity in the source, `nil` for one that is new.
    public let source: String?
    /// The name of the entity in the destination, `nil` for one that is no more.
    public let destination: String?
    /// The mappings of properties of the destination.
    ///
    /// In a mapping model there is one for each property that stores keep, inherited ones included, in their order, where it infers what is
    /// not said.
    public let properties: [PropertyMapping]
    /// The condition, in the format language, that objects of the source have to meet; `nil` for all.
    ///
    /// Objects of sub-entities have mappings of their own.
    public let condition: String?
    /// The name of the policy that makes the objects; `nil` for the standard one, which does what the mapping says.
    public let policy: String?
    /// What an application keeps beside the mapping, for its policies.
    public let userInfo: [String: String]

    /// A mapping that says what cannot be inferred.
    ///
    /// - Parameters:
    ///   - name: The name by which others ask for it; `nil` for the names of both entities with `To` between them.
    ///   - source: The name of the entity in the source; `nil` where a policy makes objects of nothing.
    ///   - destination: The name of the entity in the destination; `nil` where objects go.
    ///   - condition: A condition in the format language; objects that do not meet it are passed over.
    ///   - policy: The name of the policy that makes the objects.
    ///   - userInfo: What a policy finds beside the mapping.
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

    /// The mapping of a property of the destination; `nil` where there is none.
    public func mapping(of property: String) -> PropertyMapping? { properties.first { $0.name == property } }

    /// Whether it says no more than could be inferred.
    var isPlain: Bool { condition == nil && policy == nil && properties.allSatisfy(\.isPlain) }

    func with(kind: Kind, properties: [PropertyMapping]) -> EntityMapping {
        EntityMapping(
            name: name, kind: kind, source: source, destination: destination, properties: properties, condition: condition, policy: policy,
            userInfo: userInfo)
    }
}
