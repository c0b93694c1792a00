/// The user-info key of an array of errors, in an error for several.
public let NSDetailedErrorsKey = "NSDetailedErrors"
/// The user-info key of the object that failed to validate.
public let NSValidationObjectErrorKey = "NSValidationErrorObject"
/// The user-info key of the name of the property that failed to validate.
public let NSValidationKeyErrorKey = "NSValidationErrorKey"
/// The user-info key of the predicate that a value does not meet.
public let NSValidationPredicateErrorKey = "NSValidationErrorPredicate"
/// The user-info key of the value that failed to validate; absent where the value is `nil`.
public let NSValidationValueErrorKey = "NSValidationErrorValue"
/// The user-info key of an array of the stores that an error is about.
public let NSAffectedStoresErrorKey = "NSAffectedStoresErrorKey"
/// The user-info key of an array of the objects that an error is about.
public let NSAffectedObjectsErrorKey = "NSAffectedObjectsErrorKey"
/// The user-info key of an array of ``NSMergeConflict``s, or of ``NSConstraintConflict``s.
public let NSPersistentStoreSaveConflictsErrorKey = "conflictList"
/// The domain of SQLite's own codes, and the user-info key of the one that caused an error.
public let NSSQLiteErrorDomain = "NSSQLiteErrorDomain"
