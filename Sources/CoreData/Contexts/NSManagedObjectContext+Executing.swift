import StrataModel

extension NSManagedObjectContext {
    /// Executes a request: a batch request, a fetch, or an asynchronous fetch.
    ///
    /// - Precondition: It is no save.
    /// - Throws: An `NSError` of the request or of the stores.
    @discardableResult
    public func execute(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
        try cocoa {
            switch request {
            case let request as NSBatchInsertRequest: return try request.execute(in: self)
            case let request as NSBatchUpdateRequest: return try request.execute(in: self)
            case let request as NSBatchDeleteRequest: return try request.execute(in: self)
            case let request as any ExecutableRequest: return try request.execute(in: self)
            default: programmerError("Unknown request type for -executeRequest: \(type(of: request))")
            }
        }
    }
}

/// A request other than a fetch or a save that a context executes.
protocol ExecutableRequest {
    func execute(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult
}

extension NSFetchRequest: ExecutableRequest {
    func execute(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
        NSFetchResult(try context.fetch(self).map { $0 as AnyObject })
    }
}
