public import Foundation

// Unsafe: what an error tells may be of any type, also one that is not for other threads.

extension CocoaError {
    /// The object that failed to validate.
    public var validationObject: Any? { unsafe userInfo[NSValidationObjectErrorKey] }
    /// The name of the property that failed to validate.
    public var validationKey: String? { unsafe userInfo[NSValidationKeyErrorKey] as? String }
    /// The predicate that a value does not meet.
    public var validationPredicate: NSPredicate? { unsafe userInfo[NSValidationPredicateErrorKey] as? NSPredicate }
    /// The value that failed to validate.
    public var validationValue: Any? { unsafe userInfo[NSValidationValueErrorKey] }
    /// The stores that the error is about.
    public var affectedStores: [AnyObject]? { unsafe userInfo[NSAffectedStoresErrorKey] as? [AnyObject] }
    /// The objects that the error is about.
    public var affectedObjects: [AnyObject]? { unsafe userInfo[NSAffectedObjectsErrorKey] as? [AnyObject] }
    /// What conflicts with the stores; `nil` where it is values that have to be unique.
    public var persistentStoreSaveConflicts: [NSMergeConflict]? {
        unsafe userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
    }
}
