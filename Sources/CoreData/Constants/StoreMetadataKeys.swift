/// The metadata key of a store's type.
public let NSStoreTypeKey = "NSStoreType"
/// The metadata key of a store's identifier.
public let NSStoreUUIDKey = "NSStoreUUID"
/// The metadata key of the version hashes of the entities that a store was made with, by name.
public let NSStoreModelVersionHashesKey = "NSStoreModelVersionHashes"
/// The metadata key of the version identifiers of the model that a store was made with.
public let NSStoreModelVersionIdentifiersKey = "NSStoreModelVersionIdentifiers"
/// The metadata key of the checksum of the model that a store was made with.
public let NSPersistentStoreModelVersionChecksumKey = "NSStoreModelVersionChecksumKey"
/// The metadata key of the earliest system that reads a store.
public let NSPersistentStoreOSCompatibility = "NSPersistentStoreOSCompatibility"
