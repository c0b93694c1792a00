public import Foundation

/// The record of an object of an atomic store: its ID, and the values of its properties by their names.
///
/// Values of relationships are nodes: one if to-one, a set if to-many, an array if ordered.
open class NSAtomicStoreCacheNode: NSObject {
    /// The ID of the object.
    public final let objectID: NSManagedObjectID
    /// The values by property name; `nil` while there are none.
    open var propertyCache: NSMutableDictionary?

    /// Creates a node without values.
    public init(objectID moid: NSManagedObjectID) {
        objectID = moid
        super.init()
    }

    /// Returns the value of a property.
    open func value(forKey key: String) -> Any? { propertyCache?.object(forKey: key as NSString) }

    /// Sets the value of a property.
    open func setValue(_ value: Any?, forKey key: String) {
        let cache = propertyCache ?? NSMutableDictionary()
        propertyCache = cache
        if let value { cache.setObject(value, forKey: key as NSString) } else { cache.removeObject(forKey: key as NSString) }
    }
}
