/// How objects of an entity become objects of another one.
public enum NSEntityMappingType: UInt, Hashable, Sendable {
    /// Not set: a custom migration is assumed.
    case undefinedEntityMappingType = 0
    /// A migration policy makes the objects.
    case customEntityMappingType = 1
    /// The entity is new.
    case addEntityMappingType = 2
    /// The entity was removed.
    case removeEntityMappingType = 3
    /// The entity is as it was.
    case copyEntityMappingType = 4
    /// The entity was changed.
    case transformEntityMappingType = 5
}

/// The key of the migration manager in a mapping's expressions.
public let NSMigrationManagerKey = "manager"
/// The key of the object that is migrated in a mapping's expressions.
public let NSMigrationSourceObjectKey = "source"
/// The key of the new object in a mapping's expressions.
public let NSMigrationDestinationObjectKey = "destination"
/// The key of the entity mapping in a mapping's expressions.
public let NSMigrationEntityMappingKey = "entityMapping"
/// The key of the property mapping in a mapping's expressions.
public let NSMigrationPropertyMappingKey = "propertyMapping"
/// The key of the migration policy in a mapping's expressions.
public let NSMigrationEntityPolicyKey = "entityPolicy"
