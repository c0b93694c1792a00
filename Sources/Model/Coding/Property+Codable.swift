extension AttributeType: Codable {}
extension DeleteRule: Codable {}

/// Coded with the name of the transformer only: without a registered one a decoded attribute returns bytes.
extension Attribute: Codable {
    private enum CodingKeys: String, CodingKey {
        case name, type, isOptional, isTransient, defaultValue, validation, allowsExternalStorage, preservesValueInHistoryOnDeletion
        case derivationExpression, transformer, elements, renamingIdentifier, versionHashModifier, userInfo
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.decode(String.self, forKey: .name), try container.decode(AttributeType.self, forKey: .type),
            default: try container.decodeIfPresent(CodedValue.self, forKey: .defaultValue)?.value,
            validation: try container.decode(forKey: .validation, else: []))
        isOptional = try container.decode(forKey: .isOptional, else: true)
        isTransient = try container.decode(forKey: .isTransient, else: false)
        allowsExternalStorage = try container.decode(forKey: .allowsExternalStorage, else: false)
        preservesValueInHistoryOnDeletion = try container.decode(forKey: .preservesValueInHistoryOnDeletion, else: false)
        derivationExpression = try container.decodeIfPresent(String.self, forKey: .derivationExpression)
        transformer = try container.decodeIfPresent(String.self, forKey: .transformer).map { .named($0) }
        elements = try container.decode(forKey: .elements, else: [])
        renamingIdentifier = try container.decodeIfPresent(String.self, forKey: .renamingIdentifier)
        versionHashModifier = try container.decodeIfPresent(String.self, forKey: .versionHashModifier)
        userInfo = try container.decode(forKey: .userInfo, else: [:])
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(type, forKey: .type)
        try container.encode(isOptional, unless: true, forKey: .isOptional)
        try container.encode(isTransient, unless: false, forKey: .isTransient)
        try container.encodeIfPresent(defaultValue.map { CodedValue($0) }, forKey: .defaultValue)
        try container.encode(validation, unless: [], forKey: .validation)
        try container.encode(allowsExternalStorage, unless: false, forKey: .allowsExternalStorage)
        try container.encode(preservesValueInHistoryOnDeletion, unless: false, forKey: .preservesValueInHistoryOnDeletion)
        try container.encodeIfPresent(derivationExpression, forKey: .derivationExpression)
        try container.encodeIfPresent(transformer?.name, forKey: .transformer)
        if !elements.isEmpty { try container.encode(elements, forKey: .elements) }
        try container.encodeIfPresent(renamingIdentifier, forKey: .renamingIdentifier)
        try container.encodeIfPresent(versionHashModifier, forKey: .versionHashModifier)
        try container.encode(userInfo, unless: [:], forKey: .userInfo)
    }
}

extension Relationship.Cardinality: Codable {
    private static let names: [(Relationship.Cardinality, String)] = [(.toOne, "toOne"), (.toMany, "toMany"), (.ordered, "ordered")]

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let name = try container.decode(String.self)
        guard let known = Relationship.Cardinality.names.first(where: { $0.1 == name }) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "there is no cardinality \(name)")
        }
        self = known.0
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Relationship.Cardinality.names.first { $0.0 == self }?.1 ?? "")
    }
}

extension Relationship: Codable {
    private enum CodingKeys: String, CodingKey {
        case name, destination, inverse, cardinality, deleteRule, isOptional, isTransient, minCount, maxCount
        case unmatchedInverse, hasIgnoredOrder, renamingIdentifier, versionHashModifier, userInfo
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.decode(String.self, forKey: .name), to: try container.decode(String.self, forKey: .destination),
            inverse: try container.decodeIfPresent(String.self, forKey: .inverse),
            try container.decode(forKey: .cardinality, else: .toOne), deleteRule: try container.decode(forKey: .deleteRule, else: .nullify),
            minCount: try container.decode(forKey: .minCount, else: 0), maxCount: try container.decodeIfPresent(Int.self, forKey: .maxCount)
        )
        unmatchedInverse = try container.decodeIfPresent(String.self, forKey: .unmatchedInverse)
        hasIgnoredOrder = try container.decode(forKey: .hasIgnoredOrder, else: false)
        isOptional = try container.decode(forKey: .isOptional, else: true)
        isTransient = try container.decode(forKey: .isTransient, else: false)
        renamingIdentifier = try container.decodeIfPresent(String.self, forKey: .renamingIdentifier)
        versionHashModifier = try container.decodeIfPresent(String.self, forKey: .versionHashModifier)
        userInfo = try container.decode(forKey: .userInfo, else: [:])
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(destination, forKey: .destination)
        try container.encodeIfPresent(inverse, forKey: .inverse)
        try container.encodeIfPresent(unmatchedInverse, forKey: .unmatchedInverse)
        try container.encode(hasIgnoredOrder, unless: false, forKey: .hasIgnoredOrder)
        try container.encode(cardinality, unless: .toOne, forKey: .cardinality)
        try container.encode(deleteRule, unless: .nullify, forKey: .deleteRule)
        try container.encode(isOptional, unless: true, forKey: .isOptional)
        try container.encode(isTransient, unless: false, forKey: .isTransient)
        try container.encode(minCount, unless: 0, forKey: .minCount)
        try container.encode(maxCount, forKey: .maxCount)
        try container.encodeIfPresent(renamingIdentifier, forKey: .renamingIdentifier)
        try container.encodeIfPresent(versionHashModifier, forKey: .versionHashModifier)
        try container.encode(userInfo, unless: [:], forKey: .userInfo)
    }
}

extension ValidationRule: Codable {
    private enum CodingKeys: String, CodingKey { case least, greatest, shortest, longest, pattern, predicate, warning }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if let pattern = try container.decodeIfPresent(String.self, forKey: .pattern) {
            self = .pattern(pattern)
        } else if let predicate = try container.decodeIfPresent(String.self, forKey: .predicate) {
            self = .predicate(predicate, warning: try container.decodeIfPresent(String.self, forKey: .warning))
        } else if container.contains(.shortest) || container.contains(.longest) {
            self = .length(
                min: try container.decodeIfPresent(Int.self, forKey: .shortest),
                max: try container.decodeIfPresent(Int.self, forKey: .longest))
        } else {
            self = .range(
                min: try container.decodeIfPresent(CodedValue.self, forKey: .least)?.value,
                max: try container.decodeIfPresent(CodedValue.self, forKey: .greatest)?.value)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .pattern(let pattern): try container.encode(pattern, forKey: .pattern)
        case .predicate(let predicate, let warning):
            try container.encode(predicate, forKey: .predicate)
            try container.encodeIfPresent(warning, forKey: .warning)
        case .length(let min, let max):
            try container.encodeIfPresent(min, forKey: .shortest)
            try container.encodeIfPresent(max, forKey: .longest)
        case .range(let min, let max):
            try container.encodeIfPresent(min.map { CodedValue($0) }, forKey: .least)
            try container.encodeIfPresent(max.map { CodedValue($0) }, forKey: .greatest)
        }
    }
}
