public import Foundation

/// What is asked of stores: a fetch, a save, or work on many rows at once.
open class NSPersistentStoreRequest: NSObject, NSCopying {
    /// The stores that are asked; `nil` for all.
    open var affectedStores: [NSPersistentStore]?

    /// A request of all stores.
    public override init() { super.init() }

    /// Which kind of request it is.
    open var requestType: NSPersistentStoreRequestType { .fetchRequestType }

    /// A request that asks the same.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = type(of: self).makeCopy()
        take(copy)
        return copy
    }

    class func makeCopy() -> NSPersistentStoreRequest { NSPersistentStoreRequest() }

    /// Has a copy ask what this one does.
    func take(_ copy: NSPersistentStoreRequest) { copy.affectedStores = affectedStores }
}
