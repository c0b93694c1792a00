/// The localized descriptions of errors, in the words of Apple's systems.
enum ErrorDescriptions {
    /// Returns the description of the validation error of a property; of the object as a whole for `nil`.
    static func validation(_ code: Int, _ key: String?) -> String {
        let name = key ?? "The object"
        switch code {
        case NSManagedObjectConstraintValidationError: return "One or more constraints were violated."
        case NSValidationMultipleErrorsError: return "Multiple validation errors occurred."
        case NSValidationMissingMandatoryPropertyError: return "\(name) is a required value."
        case NSValidationRelationshipLacksMinimumCountError: return "Too few items in \(name)."
        case NSValidationRelationshipExceedsMaximumCountError: return "Too many items in \(name)."
        case NSValidationRelationshipDeniedDeleteError: return "Items cannot be deleted from \(name)."
        case NSValidationNumberTooLargeError: return "\(name) is too large."
        case NSValidationNumberTooSmallError: return "\(name) is too small."
        case NSValidationDateTooLateError: return "\(name) is too late."
        case NSValidationDateTooSoonError: return "\(name) is too soon."
        case NSValidationStringTooLongError: return "\(name) is too long."
        case NSValidationStringTooShortError: return "\(name) is too short."
        case NSValidationInvalidDateError, NSValidationStringPatternMatchingError, NSValidationInvalidURIError:
            return "\(name) is invalid."
        default: return "\(name) is not valid."
        }
    }

    /// Returns the description of any other error, about a file if there is a path.
    static func other(_ code: Int, _ path: String? = nil) -> String { coreData[code] ?? file(code, path) }

    private static let coreData: [Int: String] = [
        NSManagedObjectContextLockingError: "Could not acquire a lock in a managed object context.",
        NSPersistentStoreCoordinatorLockingError: "Could not acquire a lock in a managed persistent store coordinator.",
        NSManagedObjectReferentialIntegrityError: "Attempt to access an object not found in store.",
        NSManagedObjectExternalRelationshipError: "Cannot save objects with references outside of their own stores.",
        NSManagedObjectMergeError: "Could not merge changes.",
        NSManagedObjectConstraintMergeError: "Could not merge changes.",
        NSPersistentStoreInvalidTypeError: "Failed to save. Unknown store type, format, or version.",
        NSPersistentStoreTypeMismatchError: "The store type is inconsistent with the data format.",
        NSPersistentStoreIncompatibleSchemaError:
            "The model configuration used to open the store is incompatible with the one that was used to create the store.",
        NSPersistentStoreSaveError: "An error occurred while saving.",
        NSPersistentStoreIncompleteSaveError: "Save operation could not be completed.",
        NSPersistentStoreSaveConflictsError: "Could not merge changes.",
        NSPersistentStoreOperationError: "An error occurred in the persistent store.",
        NSPersistentStoreOpenError: "An error occurred while opening the persistent store.",
        NSPersistentStoreTimeoutError: "A timeout error occurred while connecting to the persistent store.",
        NSPersistentStoreUnsupportedRequestTypeError: "The persistent store does not support the request.",
        NSPersistentStoreIncompatibleVersionHashError:
            "The managed object model version used to open the persistent store is incompatible with the one that was used to create "
            + "the persistent store.",
        NSMigrationError: "An error occurred during persistent store migration.",
        NSMigrationConstraintViolationError: "Persistent store migration failed, one or more constraints were violated.",
        NSMigrationCancelledError: "Persistent store migration was cancelled before completion.",
        NSMigrationMissingSourceModelError: "Persistent store migration failed, missing source managed object model.",
        NSMigrationMissingMappingModelError: "Persistent store migration failed, missing mapping model.",
        NSMigrationManagerSourceStoreError: "Persistent store migration failed, there was a problem with the source persistent store.",
        NSMigrationManagerDestinationStoreError:
            "Persistent store migration failed, there was a problem with the destination persistent store.",
        NSEntityMigrationPolicyError: "Persistent store migration failed while processing entity migration policy.",
        NSSQLiteError: "An SQLite error occurred.",
        NSInferredMappingModelError: "A mapping model could not be inferred.",
        NSExternalRecordImportError: "An error occurred while importing external records.",
        NSPersistentHistoryTokenExpiredError: "The persistent history token is expired.",
    ]

    private static func file(_ code: Int, _ path: String?) -> String {
        let file = path.map { "file “\(($0 as NSString).lastPathComponent)”" } ?? "file"
        switch CocoaError.Code(rawValue: code) {
        case .fileNoSuchFile, .fileReadNoSuchFile: return "The \(file) couldn’t be opened because there is no such file."
        case .fileReadNoPermission: return "The \(file) couldn’t be opened because you don’t have permission to view it."
        case .fileReadCorruptFile: return "The \(file) couldn’t be opened because it isn’t in the correct format."
        case .fileReadUnknown: return "The \(file) couldn’t be opened."
        case .fileWriteOutOfSpace: return "The \(file) couldn’t be saved because there isn’t enough space."
        case .fileWriteNoPermission: return "You don’t have permission to save the \(file)."
        case .fileWriteVolumeReadOnly: return "The \(file) couldn’t be saved because the volume is read only."
        case .fileWriteFileExists: return "The \(file) couldn’t be saved because a file with the same name already exists."
        case .fileWriteUnknown: return "The \(file) couldn’t be saved."
        case .userCancelled: return "The operation was cancelled."
        default: return "A Core Data error occurred."
        }
    }
}
