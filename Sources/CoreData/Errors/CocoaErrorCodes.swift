extension CocoaError.Code {
    // MARK: - Validation

    /// A value, or an object, is invalid for a reason that has no code of its own.
    public static var managedObjectValidation: Self { .init(rawValue: NSManagedObjectValidationError) }
    /// Several things are invalid; ``NSDetailedErrorsKey`` has them.
    public static var validationMultipleErrors: Self { .init(rawValue: NSValidationMultipleErrorsError) }
    /// A property that is not optional has no value.
    public static var validationMissingMandatoryProperty: Self { .init(rawValue: NSValidationMissingMandatoryPropertyError) }
    /// A relationship has too few destinations.
    public static var validationRelationshipLacksMinimumCount: Self { .init(rawValue: NSValidationRelationshipLacksMinimumCountError) }
    /// A relationship has too many destinations.
    public static var validationRelationshipExceedsMaximumCount: Self { .init(rawValue: NSValidationRelationshipExceedsMaximumCountError) }
    /// An object cannot be deleted while a relationship of it has destinations.
    public static var validationRelationshipDeniedDelete: Self { .init(rawValue: NSValidationRelationshipDeniedDeleteError) }
    /// A number is too large.
    public static var validationNumberTooLarge: Self { .init(rawValue: NSValidationNumberTooLargeError) }
    /// A number is too small.
    public static var validationNumberTooSmall: Self { .init(rawValue: NSValidationNumberTooSmallError) }
    /// A date is too late.
    public static var validationDateTooLate: Self { .init(rawValue: NSValidationDateTooLateError) }
    /// A date is too early.
    public static var validationDateTooSoon: Self { .init(rawValue: NSValidationDateTooSoonError) }
    /// A value is no date.
    public static var validationInvalidDate: Self { .init(rawValue: NSValidationInvalidDateError) }
    /// A text is too long.
    public static var validationStringTooLong: Self { .init(rawValue: NSValidationStringTooLongError) }
    /// A text is too short.
    public static var validationStringTooShort: Self { .init(rawValue: NSValidationStringTooShortError) }
    /// A text does not match a pattern.
    public static var validationStringPatternMatching: Self { .init(rawValue: NSValidationStringPatternMatchingError) }

    // MARK: - Contexts

    /// A context could not be locked.
    public static var managedObjectContextLocking: Self { .init(rawValue: NSManagedObjectContextLockingError) }
    /// A coordinator could not be locked.
    public static var persistentStoreCoordinatorLocking: Self { .init(rawValue: NSPersistentStoreCoordinatorLockingError) }
    /// An object is not in its store any more.
    public static var managedObjectReferentialIntegrity: Self { .init(rawValue: NSManagedObjectReferentialIntegrityError) }
    /// An object is related to one in another store.
    public static var managedObjectExternalRelationship: Self { .init(rawValue: NSManagedObjectExternalRelationshipError) }
    /// Another save changed an object of this save.
    public static var managedObjectMerge: Self { .init(rawValue: NSManagedObjectMergeError) }
    /// Another object has the unique values.
    public static var managedObjectConstraintMerge: Self { .init(rawValue: NSManagedObjectConstraintMergeError) }

    // MARK: - Stores

    /// A type of stores is unknown.
    public static var persistentStoreInvalidType: Self { .init(rawValue: NSPersistentStoreInvalidTypeError) }
    /// A store is of another type.
    public static var persistentStoreTypeMismatch: Self { .init(rawValue: NSPersistentStoreTypeMismatchError) }
    /// A store was made with another configuration of the model.
    public static var persistentStoreIncompatibleSchema: Self { .init(rawValue: NSPersistentStoreIncompatibleSchemaError) }
    /// A store could not be saved.
    public static var persistentStoreSave: Self { .init(rawValue: NSPersistentStoreSaveError) }
    /// Some stores could not be saved; ``NSAffectedStoresErrorKey`` has them.
    public static var persistentStoreIncompleteSave: Self { .init(rawValue: NSPersistentStoreIncompleteSaveError) }
    /// A save met conflicts; ``NSPersistentStoreSaveConflictsErrorKey`` has them.
    public static var persistentStoreSaveConflicts: Self { .init(rawValue: NSPersistentStoreSaveConflictsError) }
    /// Something failed that has no code of its own.
    public static var coreData: Self { .init(rawValue: NSCoreDataError) }
    /// A store failed to execute a request.
    public static var persistentStoreOperation: Self { .init(rawValue: NSPersistentStoreOperationError) }
    /// A store could not be opened.
    public static var persistentStoreOpen: Self { .init(rawValue: NSPersistentStoreOpenError) }
    /// A store was held by someone else for too long.
    public static var persistentStoreTimeout: Self { .init(rawValue: NSPersistentStoreTimeoutError) }
    /// A store does not serve a request of this kind.
    public static var persistentStoreUnsupportedRequestType: Self { .init(rawValue: NSPersistentStoreUnsupportedRequestTypeError) }
    /// SQLite failed; ``NSSQLiteErrorDomain`` has its code.
    public static var sqlite: Self { .init(rawValue: NSSQLiteError) }
    /// External records could not be read.
    public static var externalRecordImport: Self { .init(rawValue: NSExternalRecordImportError) }

    // MARK: - Migration

    /// A store was made with another version of the model.
    public static var persistentStoreIncompatibleVersionHash: Self { .init(rawValue: NSPersistentStoreIncompatibleVersionHashError) }
    /// A migration failed.
    public static var migration: Self { .init(rawValue: NSMigrationError) }
    /// A migration was cancelled.
    public static var migrationCancelled: Self { .init(rawValue: NSMigrationCancelledError) }
    /// The model that a store was made with is not known.
    public static var migrationMissingSourceModel: Self { .init(rawValue: NSMigrationMissingSourceModelError) }
    /// There is no mapping model from a store's model to the coordinator's.
    public static var migrationMissingMappingModel: Self { .init(rawValue: NSMigrationMissingMappingModelError) }
    /// The store that is migrated failed.
    public static var migrationManagerSourceStore: Self { .init(rawValue: NSMigrationManagerSourceStoreError) }
    /// The store that is migrated to failed.
    public static var migrationManagerDestinationStore: Self { .init(rawValue: NSMigrationManagerDestinationStoreError) }
    /// A migration policy failed.
    public static var entityMigrationPolicy: Self { .init(rawValue: NSEntityMigrationPolicyError) }
    /// A mapping could not be inferred.
    public static var inferredMappingModel: Self { .init(rawValue: NSInferredMappingModelError) }
}
