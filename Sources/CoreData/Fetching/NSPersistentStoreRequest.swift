public import Foundation

/// A request to stores: a fetch, a save, or a batch request.
open class NSPersistentStoreRequest: NSObject, NSCopying {
    /// The stores that receive the request; `nil` for all.
    open var affectedStores: [NSPersistentStore]?

    /// Creates a request of all stores.
    public override init() { super.init() }

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
