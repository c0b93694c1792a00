// The codes of errors in Cocoa's domain.

// MARK: - Validation

/// A value, or an object, is invalid for a reason that has no code of its own.
public let NSManagedObjectValidationError = 1550
/// Values are not unique that have to be.
public let NSManagedObjectConstraintValidationError = 1551
/// Several things are invalid; ``NSDetailedErrorsKey`` has them.
public let NSValidationMultipleErrorsError = 1560
/// A property that is not optional has no value.
public let NSValidationMissingMandatoryPropertyError = 1570
/// A relationship has too few destinations.
public let NSValidationRelationshipLacksMinimumCountError = 1580
/// A relationship has too many destinations.
public let NSValidationRelationshipExceedsMaximumCountError = 1590
/// An object cannot be deleted while a relationship of it has destinations.
public let NSValidationRelationshipDeniedDeleteError = 1600
/// A number is too large.
public let NSValidationNumberTooLargeError = 1610
/// A number is too small.
public let NSValidationNumberTooSmallError = 1620
/// A date is too late.
public let NSValidationDateTooLateError = 1630
/// A date is too early.
public let NSValidationDateTooSoonError = 1640
/// A value is no date.
public let NSValidationInvalidDateError = 1650
/// A text is too long.
public let NSValidationStringTooLongError = 1660
/// A text is too short.
public let NSValidationStringTooShortError = 1670
/// A text does not match a pattern.
public let NSValidationStringPatternMatchingError = 1680
/// A value is no URI.
public let NSValidationInvalidURIError = 1690

// MARK: - Contexts

/// A context could not be locked.
public let NSManagedObjectContextLockingError = 132000
/// A coordinator could not be locked.
public let NSPersistentStoreCoordinatorLockingError = 132010
/// An object is not in its store any more.
public let NSManagedObjectReferentialIntegrityError = 133000
/// An object is related to one in another store.
public let NSManagedObjectExternalRelationshipError = 133010
/// Another save changed an object of this save.
public let NSManagedObjectMergeError = 133020
/// Another object has the unique values.
public let NSManagedObjectConstraintMergeError = 133021

// MARK: - Stores

/// A type of stores is unknown.
public let NSPersistentStoreInvalidTypeError = 134000
/// A store is of another type.
public let NSPersistentStoreTypeMismatchError = 134010
/// A store was made with another configuration of the model.
public let NSPersistentStoreIncompatibleSchemaError = 134020
/// A store could not be saved.
public let NSPersistentStoreSaveError = 134030
/// Some stores could not be saved; ``NSAffectedStoresErrorKey`` has them.
public let NSPersistentStoreIncompleteSaveError = 134040
/// A save met conflicts; ``NSPersistentStoreSaveConflictsErrorKey`` has them.
public let NSPersistentStoreSaveConflictsError = 134050
/// Something failed that has no code of its own.
public let NSCoreDataError = 134060
/// A store failed to execute a request.
public let NSPersistentStoreOperationError = 134070
/// A store could not be opened.
public let NSPersistentStoreOpenError = 134080
/// A store was held by someone else for too long.
public let NSPersistentStoreTimeoutError = 134090
/// A store does not serve a request of this kind.
public let NSPersistentStoreUnsupportedRequestTypeError = 134091
/// SQLite failed; ``NSSQLiteErrorDomain`` has its code.
public let NSSQLiteError = 134180
/// External records could not be read.
public let NSExternalRecordImportError = 134200
/// The history of a token was deleted.
public let NSPersistentHistoryTokenExpiredError = 134301

// MARK: - Migration

/// A store was made with another version of the model.
public let NSPersistentStoreIncompatibleVersionHashError = 134100
/// A migration failed.
public let NSMigrationError = 134110
/// A migration makes values that are not unique and have to be.
public let NSMigrationConstraintViolationError = 134111
/// A migration was cancelled.
public let NSMigrationCancelledError = 134120
/// The model that a store was made with is not known.
public let NSMigrationMissingSourceModelError = 134130
/// There is no mapping model from a store's model to the coordinator's.
public let NSMigrationMissingMappingModelError = 134140
/// The store that is migrated failed.
public let NSMigrationManagerSourceStoreError = 134150
/// The store that is migrated to failed.
public let NSMigrationManagerDestinationStoreError = 134160
/// A migration policy failed.
public let NSEntityMigrationPolicyError = 134170
/// A mapping could not be inferred.
public let NSInferredMappingModelError = 134190
/// A model that is referred to was not found.
public let NSManagedObjectModelReferenceNotFoundError = 134504
/// The version of a store is too ambiguous for a staged migration.
public let NSStagedMigrationFrameworkVersionMismatchError = 134505
/// A store is of a later version than that of the stages.
public let NSStagedMigrationBackwardMigrationError = 134506
