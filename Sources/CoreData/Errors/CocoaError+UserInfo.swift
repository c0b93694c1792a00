// Unsafe: user info may hold values of any type, also non-sendable ones.

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
    /// The optimistic-locking conflicts with the stores; `nil` for violated uniqueness constraints.
    public var persistentStoreSaveConflicts: [NSMergeConflict]? {
        unsafe userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
    }
}
