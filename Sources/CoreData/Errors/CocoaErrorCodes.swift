public import Foundation

extension CocoaError.Code {
    // MARK: - Validation

    /// A value, or an object, is invalid for a reason that has no code of its own.
    public static var managedObjectValidation: CocoaError.Code { .init(rawValue: NSManagedObjectValidationError) }
    /// Several things are invalid; ``NSDetailedErrorsKey`` has them.
    public static var validationMultipleErrors: CocoaError.Code { .init(rawValue: NSValidationMultipleErrorsError) }
    /// A property that is not optional has no value.
    public static var validationMissingMandatoryProperty: CocoaError.Code { .init(rawValue: NSValidationMissingMandatoryPropertyError) }
    /// A relationship has too few destinations.
    public static var validationRelationshipLacksMinimumCount: CocoaError.Code {
        .init(rawValue: NSValidationRelationshipLacksMinimumCountError)
    }
    /// A relationship has too many destinations.
    public static var validationRelationshipExceedsMaximumCount: CocoaError.Code {
        .init(rawValue: NSValidationRelationshipExceedsMaximumCountError)
    }
    /// An object cannot be deleted while a relationship of it has destinations.
    public static var validationRelationshipDeniedDelete: CocoaError.Code { .init(rawValue: NSValidationRelationshipDeniedDeleteError) }
    /// A number is too large.
    public static var validationNumberTooLarge: CocoaError.Code { .init(rawValue: NSValidationNumberTooLargeError) }
    /// A number is too small.
    public static var validationNumberTooSmall: CocoaError.Code { .init(rawValue: NSValidationNumberTooSmallError) }
    /// A date is too late.
    public static var validationDateTooLate: CocoaError.Code { .init(rawValue: NSValidationDateTooLateError) }
    /// A date is too early.
    public static var validationDateTooSoon: CocoaError.Code { .init(rawValue: NSValidationDateTooSoonError) }
    /// A value is no date.
    public static var validationInvalidDate: CocoaError.Code { .init(rawValue: NSValidationInvalidDateError) }
    /// A text is too long.
    public static var validationStringTooLong: CocoaError.Code { .init(rawValue: NSValidationStringTooLongError) }
    /// A text is too short.
    public static var validationStringTooShort: CocoaError.Code { .init(rawValue: NSValidationStringTooShortError) }
    /// A text does not match a pattern.
    public static var validationStringPatternMatching: CocoaError.Code { .init(rawValue: NSValidationStringPatternMatchingError) }

    // MARK: - Contexts

    /// A context could not be locked.
    public static var managedObjectContextLocking: CocoaError.Code { .init(rawValue: NSManagedObjectContextLockingError) }
    /// A coordinator could not be locked.
    public static var persistentStoreCoordinatorLocking: CocoaError.Code { .init(rawValue: NSPersistentStoreCoordinatorLockingError) }
    /// An object is not in its store any more.
    public static var managedObjectReferentialIntegrity: CocoaError.Code { .init(rawValue: NSManagedObjectReferentialIntegrityError) }
    /// An object is related to one in another store.
    public static var managedObjectExternalRelationship: CocoaError.Code { .init(rawValue: NSManagedObjectExternalRelationshipError) }
    /// Another save changed an object of this save.
    public static var managedObjectMerge: CocoaError.Code { .init(rawValue: NSManagedObjectMergeError) }
    /// Another object has the unique values.
    public static var managedObjectConstraintMerge: CocoaError.Code { .init(rawValue: NSManagedObjectConstraintMergeError) }

    // MARK: - Stores

    /// A type of stores is unknown.
    public static var persistentStoreInvalidType: CocoaError.Code { .init(rawValue: NSPersistentStoreInvalidTypeError) }
    /// A store is of another type.
    public static var persistentStoreTypeMismatch: CocoaError.Code { .init(rawValue: NSPersistentStoreTypeMismatchError) }
    /// A store was made with another configuration of the model.
    public static var persistentStoreIncompatibleSchema: CocoaError.Code { .init(rawValue: NSPersistentStoreIncompatibleSchemaError) }
    /// A store could not be saved.
    public static var persistentStoreSave: CocoaError.Code { .init(rawValue: NSPersistentStoreSaveError) }
    /// Some stores could not be saved; ``NSAffectedStoresErrorKey`` has them.
    public static var persistentStoreIncompleteSave: CocoaError.Code { .init(rawValue: NSPersistentStoreIncompleteSaveError) }
    /// A save met conflicts; ``NSPersistentStoreSaveConflictsErrorKey`` has them.
    public static var persistentStoreSaveConflicts: CocoaError.Code { .init(rawValue: NSPersistentStoreSaveConflictsError) }
    /// Something failed that has no code of its own.
    public static var coreData: CocoaError.Code { .init(rawValue: NSCoreDataError) }
    /// A store failed to execute a request.
    public static var persistentStoreOperation: CocoaError.Code { .init(rawValue: NSPersistentStoreOperationError) }
    /// A store could not be opened.
    public static var persistentStoreOpen: CocoaError.Code { .init(rawValue: NSPersistentStoreOpenError) }
    /// A store was held by someone else for too long.
    public static var persistentStoreTimeout: CocoaError.Code { .init(rawValue: NSPersistentStoreTimeoutError) }
    /// A store does not serve a request of this kind.
    public static var persistentStoreUnsupportedRequestType: CocoaError.Code {
        .init(rawValue: NSPersistentStoreUnsupportedRequestTypeError)
    }
    /// SQLite failed; ``NSSQLiteErrorDomain`` has its code.
    public static var sqlite: CocoaError.Code { .init(rawValue: NSSQLiteError) }
    /// External records could not be read.
    public static var externalRecordImport: CocoaError.Code { .init(rawValue: NSExternalRecordImportError) }

    // MARK: - Migration

    /// A store was made with another version of the model.
    public static var persistentStoreIncompatibleVersionHash: CocoaError.Code {
        .init(rawValue: NSPersistentStoreIncompatibleVersionHashError)
    }
    /// A migration failed.
    public static var migration: CocoaError.Code { .init(rawValue: NSMigrationError) }
    /// A migration was cancelled.
    public static var migrationCancelled: CocoaError.Code { .init(rawValue: NSMigrationCancelledError) }
    /// The model that a store was made with is not known.
    public static var migrationMissingSourceModel: CocoaError.Code { .init(rawValue: NSMigrationMissingSourceModelError) }
    /// There is no mapping model from a store's model to the coordinator's.
    public static var migrationMissingMappingModel: CocoaError.Code { .init(rawValue: NSMigrationMissingMappingModelError) }
    /// The store that is migrated failed.
    public static var migrationManagerSourceStore: CocoaError.Code { .init(rawValue: NSMigrationManagerSourceStoreError) }
    /// The store that is migrated to failed.
    public static var migrationManagerDestinationStore: CocoaError.Code { .init(rawValue: NSMigrationManagerDestinationStoreError) }
    /// A migration policy failed.
    public static var entityMigrationPolicy: CocoaError.Code { .init(rawValue: NSEntityMigrationPolicyError) }
    /// A mapping could not be inferred.
    public static var inferredMappingModel: CocoaError.Code { .init(rawValue: NSInferredMappingModelError) }
}
