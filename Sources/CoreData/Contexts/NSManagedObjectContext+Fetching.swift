import StrataGraph
import StrataModel

extension NSManagedObjectContext {
    /// Fetches the results of a request: managed objects, their IDs, dictionaries, or a number.
    ///
    /// Objects are those of the context: unsaved changes count by default.
    ///
    /// - Throws: An `NSError` of the request or of the stores.
    public func fetch<T>(_ request: NSFetchRequest<T>) throws -> [T] {
        try cocoa {
            let compiled = try request.compiled(in: self)
            switch request.resultType {
            case .managedObjectIDResultType: return results(try graph.fetchObjectIDs(compiled).map { NSManagedObjectID($0) }, request)
            case .dictionaryResultType: return results(try dictionaries(compiled), request)
            case .countResultType: return results([NSNumber(value: try graph.count(for: compiled))], request)
            default:
                let found = try graph.fetch(compiled)
                hold(found)
                return request.isErased ? unchecked(found) : objects(found)
            }
        }
    }

    /// Retains the objects of a fetch until the next one, or until the context's block ends; an autorelease pool does on Apple's systems.
    private func hold(_ found: [ManagedObject]) { readState.latestObjects = found.count > 1000 ? [] : found }

    private func dictionaries(_ request: ObjectFetchRequest<ManagedObject>) throws -> [NSDictionary] {
        let entity = request.entityName.flatMap { graph.model.entity(named: $0) }
        let types = request.propertiesToFetch?.map { $0.resultType ?? entity?.attribute(named: $0.name)?.type } ?? []
        return try graph.fetchDictionaries(request).map { FetchedProperties.dictionary($0, types) }
    }

    /// Returns results as the class of a request for any results, where the request itself determines the class.
    private func unchecked<T: AnyObject>(_ found: [some AnyObject]) -> [T] {
        // Right: the program sees any results, and arrays of references to objects have one layout.
        unsafe unsafeBitCast(found, to: [T].self)
    }

    private func results<T: AnyObject>(_ found: [some AnyObject], _ request: NSFetchRequest<T>) -> [T] {
        if request.isErased { return unchecked(found) }
        return found.map { result in
            guard let typed = result as? T else {
                programmerError("a fetch whose result type gives \(type(of: result)) was asked for \(T.self)")
            }
            return typed
        }
    }

    /// Returns objects as the class of a request's results.
    func objects<T: AnyObject>(_ found: [ManagedObject]) -> [T] {
        var checked: AnyClass?
        for object in found where type(of: object) != checked {
            guard object is T else { programmerError("a fetch for \(T.self) found an object of \(type(of: object)): \(object)") }
            checked = type(of: object)
        }
        // Right: each object was checked to be a T, and arrays of references to objects have one layout.
        return unsafe unsafeBitCast(found, to: [T].self)
    }

    /// Returns the number of results of a fetch.
    ///
    /// - Throws: As ``fetch(_:)``.
    public func count<T>(for request: NSFetchRequest<T>) throws -> Int {
        try cocoa { try graph.count(for: try request.compiled(in: self)) }
    }

    /// Executes a request: a batch request, a fetch, or an asynchronous fetch.
    ///
    /// - Precondition: It is no save.
    /// - Throws: An `NSError` of the request or of the stores.
    @discardableResult
    public func execute(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
        try cocoa {
            if let request = request as? any ExecutableRequest { return try request.execute(in: self) }
            programmerError("Unknown request type for -executeRequest: \(type(of: request))")
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
