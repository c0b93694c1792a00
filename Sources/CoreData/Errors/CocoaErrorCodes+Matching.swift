/// The codes as members of the error, for patterns in `catch`; see `CocoaError.Code`.
extension CocoaError {
    // MARK: - Validation

    /// A value, or an object, is invalid for a reason that has no code of its own.
    public static var managedObjectValidation: CocoaError.Code { .managedObjectValidation }
    /// Several things are invalid; ``NSDetailedErrorsKey`` has them.
    public static var validationMultipleErrors: CocoaError.Code { .validationMultipleErrors }
    /// A property that is not optional has no value.
    public static var validationMissingMandatoryProperty: CocoaError.Code { .validationMissingMandatoryProperty }
    /// A relationship has too few destinations.
    public static var validationRelationshipLacksMinimumCount: CocoaError.Code { .validationRelationshipLacksMinimumCount }
    /// A relationship has too many destinations.
    public static var validationRelationshipExceedsMaximumCount: CocoaError.Code { .validationRelationshipExceedsMaximumCount }
    /// An object cannot be deleted while a relationship of it has destinations.
    public static var validationRelationshipDeniedDelete: CocoaError.Code { .validationRelationshipDeniedDelete }
    /// A number is too large.
    public static var validationNumberTooLarge: CocoaError.Code { .validationNumberTooLarge }
    /// A number is too small.
    public static var validationNumberTooSmall: CocoaError.Code { .validationNumberTooSmall }
    /// A date is too late.
    public static var validationDateTooLate: CocoaError.Code { .validationDateTooLate }
    /// A date is too early.
    public static var validationDateTooSoon: CocoaError.Code { .validationDateTooSoon }
    /// A value is no date.
    public static var validationInvalidDate: CocoaError.Code { .validationInvalidDate }
    /// A text is too long.
    public static var validationStringTooLong: CocoaError.Code { .validationStringTooLong }
    /// A text is too short.
    public static var validationStringTooShort: CocoaError.Code { .validationStringTooShort }
    /// A text does not match a pattern.
    public static var validationStringPatternMatching: CocoaError.Code { .validationStringPatternMatching }

    // MARK: - Contexts

    /// A context could not be locked.
    public static var managedObjectContextLocking: CocoaError.Code { .managedObjectContextLocking }
    /// A coordinator could not be locked.
    public static var persistentStoreCoordinatorLocking: CocoaError.Code { .persistentStoreCoordinatorLocking }
    /// An object is not in its store any more.
    public static var managedObjectReferentialIntegrity: CocoaError.Code { .managedObjectReferentialIntegrity }
    /// An object is related to one in another store.
    public static var managedObjectExternalRelationship: CocoaError.Code { .managedObjectExternalRelationship }
    /// Another save changed an object of this save.
    public static var managedObjectMerge: CocoaError.Code { .managedObjectMerge }
    /// Another object has the unique values.
    public static var managedObjectConstraintMerge: CocoaError.Code { .managedObjectConstraintMerge }

    // MARK: - Stores

    /// A type of stores is unknown.
    public static var persistentStoreInvalidType: CocoaError.Code { .persistentStoreInvalidType }
    /// A store is of another type.
    public static var persistentStoreTypeMismatch: CocoaError.Code { .persistentStoreTypeMismatch }
    /// A store was made with another configuration of the model.
    public static var persistentStoreIncompatibleSchema: CocoaError.Code { .persistentStoreIncompatibleSchema }
    /// A store could not be saved.
    public static var persistentStoreSave: CocoaError.Code { .persistentStoreSave }
    /// Some stores could not be saved; ``NSAffectedStoresErrorKey`` has them.
    public static var persistentStoreIncompleteSave: CocoaError.Code { .persistentStoreIncompleteSave }
    /// A save met conflicts; ``NSPersistentStoreSaveConflictsErrorKey`` has them.
    public static var persistentStoreSaveConflicts: CocoaError.Code { .persistentStoreSaveConflicts }
    /// Something failed that has no code of its own.
    public static var coreData: CocoaError.Code { .coreData }
    /// A store failed to execute a request.
    public static var persistentStoreOperation: CocoaError.Code { .persistentStoreOperation }
    /// A store could not be opened.
    public static var persistentStoreOpen: CocoaError.Code { .persistentStoreOpen }
    /// A store was held by someone else for too long.
    public static var persistentStoreTimeout: CocoaError.Code { .persistentStoreTimeout }
    /// A store does not serve a request of this kind.
    public static var persistentStoreUnsupportedRequestType: CocoaError.Code { .persistentStoreUnsupportedRequestType }
    /// SQLite failed; ``NSSQLiteErrorDomain`` has its code.
    public static var sqlite: CocoaError.Code { .sqlite }
    /// External records could not be read.
    public static var externalRecordImport: CocoaError.Code { .externalRecordImport }

    // MARK: - Migration

    /// A store was made with another version of the model.
    public static var persistentStoreIncompatibleVersionHash: CocoaError.Code { .persistentStoreIncompatibleVersionHash }
    /// A migration failed.
    public static var migration: CocoaError.Code { .migration }
    /// A migration was cancelled.
    public static var migrationCancelled: CocoaError.Code { .migrationCancelled }
    /// The model that a store was made with is not known.
    public static var migrationMissingSourceModel: CocoaError.Code { .migrationMissingSourceModel }
    /// There is no mapping model from a store's model to the coordinator's.
    public static var migrationMissingMappingModel: CocoaError.Code { .migrationMissingMappingModel }
    /// The store that is migrated failed.
    public static var migrationManagerSourceStore: CocoaError.Code { .migrationManagerSourceStore }
    /// The store that is migrated to failed.
    public static var migrationManagerDestinationStore: CocoaError.Code { .migrationManagerDestinationStore }
    /// A migration policy failed.
    public static var entityMigrationPolicy: CocoaError.Code { .entityMigrationPolicy }
    /// A mapping could not be inferred.
    public static var inferredMappingModel: CocoaError.Code { .inferredMappingModel }
}
