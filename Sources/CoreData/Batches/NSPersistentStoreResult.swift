public import Foundation

/// What a request gave.
open class NSPersistentStoreResult: NSObject {}

/// What a batch insertion gave.
open class NSBatchInsertResult: NSPersistentStoreResult {
    /// A Boolean, a number, or IDs, as ``resultType`` says.
    public final let result: Any?
    /// What the request asked for.
    public final let resultType: NSBatchInsertRequestResultType

    init(_ result: Any?, _ resultType: NSBatchInsertRequestResultType) { (self.result, self.resultType) = (result, resultType) }
}

/// What a batch update gave.
open class NSBatchUpdateResult: NSPersistentStoreResult {
    /// A Boolean, a number, or IDs, as ``resultType`` says.
    public final let result: Any?
    /// What the request asked for.
    public final let resultType: NSBatchUpdateRequestResultType

    init(_ result: Any?, _ resultType: NSBatchUpdateRequestResultType) { (self.result, self.resultType) = (result, resultType) }
}

/// What a batch deletion gave.
open class NSBatchDeleteResult: NSPersistentStoreResult {
    /// A Boolean, a number, or IDs, as ``resultType`` says.
    public final let result: Any?
    /// What the request asked for.
    public final let resultType: NSBatchDeleteRequestResultType

    init(_ result: Any?, _ resultType: NSBatchDeleteRequestResultType) { (self.result, self.resultType) = (result, resultType) }
}

/// What a fetch gave that was executed as a request.
open class NSFetchResult: NSPersistentStoreResult {
    /// The results of the fetch.
    public final let result: [AnyObject]

    init(_ result: [AnyObject]) { self.result = result }
}
