/// A request to stores: a fetch, a save, or a batch request.
open class NSPersistentStoreRequest: NSObject, NSCopying {
    /// The stores that receive the request; `nil` for all.
    open var affectedStores: [NSPersistentStore]?

    /// Which kind of request it is.
    open var requestType: NSPersistentStoreRequestType { .fetchRequestType }

    /// Returns a copy of the request.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = type(of: self).makeCopy()
        take(copy)
        return copy
    }

    class func makeCopy() -> NSPersistentStoreRequest { NSPersistentStoreRequest() }

    /// Copies the settings to another request.
    func take(_ copy: NSPersistentStoreRequest) { copy.affectedStores = affectedStores }
}

/// A result of a fetch: managed objects, their IDs, dictionaries, or numbers.
///
/// It is a marker protocol: a value of any such type has to be a result itself, and only markers apply to their own
/// existential types. A request is not cast to one for other results where the compiler knows both: `request as?
/// NSFetchRequest<Person>`.
@_marker public protocol NSFetchRequestResult: AnyObject {}

extension NSManagedObject: NSFetchRequestResult {}
extension NSManagedObjectID: NSFetchRequestResult {}
extension NSDictionary: NSFetchRequestResult {}
extension NSNumber: NSFetchRequestResult {}
