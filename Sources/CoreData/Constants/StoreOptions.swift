/// The option that opens a store for reading only; a Boolean, false by default.
public let NSReadOnlyPersistentStoreOption = "NSReadOnlyPersistentStoreOption"
/// The option for the number of seconds to wait for a store that another process holds.
public let NSPersistentStoreTimeoutOption = "NSPersistentStoreTimeoutOption"
/// The option that opens a store whatever the versions of its entities; a Boolean, false by default.
public let NSIgnorePersistentStoreVersioningOption = "NSIgnorePersistentStoreVersioningOption"
/// The option that destroys a store although it is in use; a Boolean, false by default.
public let NSPersistentStoreForceDestroyOption = "NSPersistentStoreForceDestroyOption"
/// The option for the protection class of a store's files; a system without data protection ignores it.
public let NSPersistentStoreFileProtectionKey = "NSPersistentStoreFileProtectionKey"
/// The option for the number of connections to a store that serves several at a time.
public let NSPersistentStoreConnectionPoolMaxSizeKey = "NSPersistentStoreConnectionPoolMaxSize"

// MARK: - Migration

/// The option that migrates a store to the coordinator's model as it is added; a Boolean, false by default.
public let NSMigratePersistentStoresAutomaticallyOption = "NSMigratePersistentStoresAutomaticallyOption"
/// The option that infers the mapping for a migration where no mapping model is found; a Boolean, false by default.
public let NSInferMappingModelAutomaticallyOption = "NSInferMappingModelAutomaticallyOption"
/// The option that defers the slow parts of a lightweight migration, and the metadata key that marks deferred parts.
public let NSPersistentStoreDeferredLightweightMigrationOptionKey = "NSPersistentStoreDeferredLightweightMigrationOptionKey"
/// The option of the ``NSStagedMigrationManager`` that migrates the store to the coordinator's model.
public let NSPersistentStoreStagedMigrationManagerOptionKey = "NSPersistentStoreStagedMigrationManagerOptionKey"

// MARK: - History

/// The option that keeps a history of the store's transactions; a Boolean, false by default.
///
/// A store of any built-in type keeps its history from then on, also where it is opened without the option.
public let NSPersistentHistoryTrackingKey = "NSPersistentHistoryTrackingKey"
/// The option that posts a notification for each transaction, also of other processes; a Boolean, false by default.
public let NSPersistentStoreRemoteChangeNotificationPostOptionKey = "NSPersistentStoreRemoteChangeNotificationOptionKey"

// MARK: - SQLite

/// The option for pragmas of an SQLite store: a dictionary of their values by name.
public let NSSQLitePragmasOption = "NSSQLitePragmasOption"
/// The option that makes SQLite gather statistics when adding the store; a Boolean, false by default.
public let NSSQLiteAnalyzeOption = "NSSQLiteAnalyzeOption"
/// The option that rebuilds the file of an SQLite store when adding it; a Boolean, false by default.
public let NSSQLiteManualVacuumOption = "NSSQLiteManualVacuumOption"

// MARK: - Binary and XML

/// The option for further classes that a binary store may decode.
public let NSBinaryStoreSecureDecodingClasses = "NSBinaryStoreSecureDecodingClasses"
/// The option that makes a binary store decode all classes; a Boolean, false by default.
public let NSBinaryStoreInsecureDecodingCompatibilityOption = "_NSBinaryStoreInsecureDecodingCompatibilityOption"
/// The option that checks an XML store by its document type definition; a Boolean, false by default.
public let NSValidateXMLStoreOption = "NSValidateXMLStoreOption"

// MARK: - Spotlight

/// The option for an index of the system's search; Linux has none.
public let NSCoreDataCoreSpotlightExporter = "NSCoreDataCoreSpotlightExporter"
