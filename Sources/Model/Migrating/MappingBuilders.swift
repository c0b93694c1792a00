/// Collects the entity mappings of a mapping model.
@resultBuilder
public enum EntityMappingBuilder {
    /// Returns a mapping as a list of one.
    public static func buildExpression(_ mapping: EntityMapping) -> [EntityMapping] { [mapping] }
    /// Returns several mappings at once.
    public static func buildExpression(_ mappings: [EntityMapping]) -> [EntityMapping] { mappings }
    /// Mappings one after the other.
    public static func buildBlock(_ parts: [EntityMapping]...) -> [EntityMapping] { parts.flatMap(\.self) }
    /// Mappings that are there under a condition.
    public static func buildOptional(_ part: [EntityMapping]?) -> [EntityMapping] { part ?? [] }
    /// Returns the mappings of a true condition.
    public static func buildEither(first part: [EntityMapping]) -> [EntityMapping] { part }
    /// Returns the mappings of a false condition.
    public static func buildEither(second part: [EntityMapping]) -> [EntityMapping] { part }
    /// Returns the mappings of a loop.
    public static func buildArray(_ parts: [[EntityMapping]]) -> [EntityMapping] { parts.flatMap(\.self) }
}

/// Collects the property mappings of an entity mapping.
@resultBuilder
public enum PropertyMappingBuilder {
    /// Returns a mapping as a list of one.
    public static func buildExpression(_ mapping: PropertyMapping) -> [PropertyMapping] { [mapping] }
    /// Returns several mappings at once.
    public static func buildExpression(_ mappings: [PropertyMapping]) -> [PropertyMapping] { mappings }
    /// Mappings one after the other.
    public static func buildBlock(_ parts: [PropertyMapping]...) -> [PropertyMapping] { parts.flatMap(\.self) }
    /// Mappings that are there under a condition.
    public static func buildOptional(_ part: [PropertyMapping]?) -> [PropertyMapping] { part ?? [] }
    /// Returns the mappings of a true condition.
    public static func buildEither(first part: [PropertyMapping]) -> [PropertyMapping] { part }
    /// Returns the mappings of a false condition.
    public static func buildEither(second part: [PropertyMapping]) -> [PropertyMapping] { part }
    /// Returns the mappings of a loop.
    public static func buildArray(_ parts: [[PropertyMapping]]) -> [PropertyMapping] { parts.flatMap(\.self) }
}
