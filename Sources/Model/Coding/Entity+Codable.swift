/// Coded without the class, which a file cannot contain: objects of a decoded entity are plain managed objects.
extension Entity: Codable {
    private enum CodingKeys: String, CodingKey {
        case name, parent, isAbstract, attributes, relationships, fetchedProperties, unique, indexes, renamingIdentifier
        case unenforcedConstraints, versionHashModifier, userInfo
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(try container.decode(String.self, forKey: .name))
        parent = try container.decodeIfPresent(String.self, forKey: .parent)
        isAbstract = try container.decode(forKey: .isAbstract, else: false)
        attributes = try container.decode(forKey: .attributes, else: [])
        relationships = try container.decode(forKey: .relationships, else: [])
        fetchedProperties = try container.decode(forKey: .fetchedProperties, else: [])
        uniquenessConstraints = try container.decode(forKey: .unique, else: [])
        unenforcedConstraints = try container.decode(forKey: .unenforcedConstraints, else: [])
        indexes = try container.decode(forKey: .indexes, else: [])
        renamingIdentifier = try container.decodeIfPresent(String.self, forKey: .renamingIdentifier)
        versionHashModifier = try container.decodeIfPresent(String.self, forKey: .versionHashModifier)
        userInfo = try container.decode(forKey: .userInfo, else: [:])
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encodeIfPresent(parent, forKey: .parent)
        try container.encode(isAbstract, unless: false, forKey: .isAbstract)
        if !attributes.isEmpty { try container.encode(attributes, forKey: .attributes) }
        if !relationships.isEmpty { try container.encode(relationships, forKey: .relationships) }
        try container.encode(fetchedProperties, unless: [], forKey: .fetchedProperties)
        try container.encode(uniquenessConstraints, unless: [], forKey: .unique)
        try container.encode(unenforcedConstraints, unless: [], forKey: .unenforcedConstraints)
        try container.encode(indexes, unless: [], forKey: .indexes)
        try container.encodeIfPresent(renamingIdentifier, forKey: .renamingIdentifier)
        try container.encodeIfPresent(versionHashModifier, forKey: .versionHashModifier)
        try container.encode(userInfo, unless: [:], forKey: .userInfo)
    }
}

extension FetchIndex {
    private enum CodingKeys: String, CodingKey {
        case name, elements, isLocation, condition
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(try container.decode(String.self, forKey: .name))
        elements = try container.decode([Element].self, forKey: .elements)
        isLocation = try container.decode(forKey: .isLocation, else: false)
        condition = try container.decodeIfPresent(String.self, forKey: .condition)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(elements, forKey: .elements)
        try container.encode(isLocation, unless: false, forKey: .isLocation)
        try container.encodeIfPresent(condition, forKey: .condition)
    }
}
