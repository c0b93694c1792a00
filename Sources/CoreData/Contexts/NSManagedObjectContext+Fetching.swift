import Foundation
import StrataGraph
import StrataModel
import Synchronization

extension NSManagedObjectContext {
    /// Fetches what a request asks for: managed objects, their IDs, dictionaries, or a number.
    ///
    /// Objects are those of the context: what is changed and not saved counts, unless the request says otherwise.
    ///
    /// - Throws: An `NSError` of the request, or of what the stores fail with.
    public func fetch<T>(_ request: NSFetchRequest<T>) throws -> [T] {
        try cocoa {
            let compiled = try request.compiled(in: self)
            switch request.resultType {
            case .managedObjectIDResultType: return results(try graph.fetchObjectIDs(compiled).map { NSManagedObjectID($0) }, request)
            case .dictionaryResultType: return results(try dictionaries(compiled), request)
            case .countResultType: return results([NSNumber(value: try graph.count(for: compiled))], request)
            default: return request.isErased ? unchecked(try graph.fetch(compiled)) : objects(try graph.fetch(compiled))
            }
        }
    }

    private func dictionaries(_ request: ObjectFetchRequest<ManagedObject>) throws -> [NSDictionary] {
        let entity = request.entityName.flatMap { graph.model.entity(named: $0) }
        let types = request.propertiesToFetch?.map { $0.resultType ?? entity?.attribute(named: $0.name)?.type } ?? []
        return try graph.fetchDictionaries(request).map { FetchedProperties.dictionary($0, types) }
    }

    /// Results of a request that the program knows as one for any: the class is what the request itself says.
    private func unchecked<T: AnyObject>(_ found: [some AnyObject]) -> [T] {
        // Right: to the program they are any results, and arrays of references to objects are alike.
        unsafe unsafeBitCast(found, to: [T].self)
    }

    /// Results as the request's class.
    private func results<T: AnyObject>(_ found: [some AnyObject], _ request: NSFetchRequest<T>) -> [T] {
        if request.isErased { return unchecked(found) }
        return found.map { result in
            guard let typed = result as? T else {
                programmerError("a fetch whose result type gives \(type(of: result)) was asked for \(T.self)")
            }
            return typed
        }
    }

    /// Objects as the request's class.
    func objects<T: AnyObject>(_ found: [ManagedObject]) -> [T] {
        var checked: AnyClass?
        for object in found where type(of: object) != checked {
            guard object is T else { programmerError("a fetch for \(T.self) found an object of \(type(of: object)): \(object)") }
            checked = type(of: object)
        }
        // Right: each object was found to be one of T, and arrays of references to objects are alike.
        return unsafe unsafeBitCast(found, to: [T].self)
    }

    /// The number of results that a fetch would give.
    ///
    /// - Throws: As ``fetch(_:)``.
    public func count<T>(for request: NSFetchRequest<T>) throws -> Int {
        try cocoa { try graph.count(for: try request.compiled(in: self)) }
    }
}
