/// The result of a request.
open class NSPersistentStoreResult: NSObject {}

/// The result of a batch insertion.
open class NSBatchInsertResult: NSPersistentStoreResult {
    /// A Boolean, a number, or object IDs, depending on ``resultType``.
    public final let result: Any?
    /// The kind of the result.
    public final let resultType: NSBatchInsertRequestResultType

    init(_ result: Any?, _ resultType: NSBatchInsertRequestResultType) { (self.result, self.resultType) = (result, resultType) }
}

/// The result of a batch update.
open class NSBatchUpdateResult: NSPersistentStoreResult {
    /// A Boolean, a number, or object IDs, depending on ``resultType``.
    public final let result: Any?
    /// The kind of the result.
    public final let resultType: NSBatchUpdateRequestResultType

    init(_ result: Any?, _ resultType: NSBatchUpdateRequestResultType) { (self.result, self.resultType) = (result, resultType) }
}

/// The result of a batch deletion.
open class NSBatchDeleteResult: NSPersistentStoreResult {
    /// A Boolean, a number, or object IDs, depending on ``resultType``.
    public final let result: Any?
    /// The kind of the result.
    public final let resultType: NSBatchDeleteRequestResultType

    init(_ result: Any?, _ resultType: NSBatchDeleteRequestResultType) { (self.result, self.resultType) = (result, resultType) }
}

/// The result of a fetch that was executed as a request.
open class NSFetchResult: NSPersistentStoreResult {
    /// The results of the fetch.
    public final let result: [AnyObject]

    init(_ result: [AnyObject]) { self.result = result }
}
