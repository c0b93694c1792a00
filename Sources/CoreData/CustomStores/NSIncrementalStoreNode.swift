public import Foundation
import StrataModel

/// The values of one object of an incremental store, with the version that they are of.
open class NSIncrementalStoreNode: NSObject {
    /// The ID of the object.
    public final let objectID: NSManagedObjectID
    /// The version of the values: a later one has a greater number.
    public final private(set) var version: UInt64
    private final var values: [String: Any]

    /// Creates a node with values by property name.
    ///
    /// A missing attribute is nil, a missing relationship is read separately; the value of a to-one is an ID.
    public init(objectID: NSManagedObjectID, withValues values: [String: Any], version: UInt64) {
        self.objectID = objectID
        self.values = values
        self.version = version
        super.init()
    }

    /// Gives the node other values.
    public final func update(withValues values: [String: Any], version: UInt64) {
        self.values = values
        self.version = version
    }

    /// Returns the value of a property; `nil` if the node lacks it, an `NSNull` for a nil to-one relationship.
    public final func value(for prop: NSPropertyDescription) -> Any? { value(named: prop.name) }

    final func value(named name: String) -> Any? { values[name] }
}
