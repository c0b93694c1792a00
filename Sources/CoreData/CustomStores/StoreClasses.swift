import Foundation
import Synchronization

/// The classes of stores that applications registered, by the texts that name their types.
enum StoreClasses {
    // A class is as good as constant.
    private static let classes = Mutex<[String: NSPersistentStore.Type]>([:])

    static func set(_ storeClass: NSPersistentStore.Type?, for type: String) { classes.withLock { $0[type] = storeClass } }

    /// The class of a type's stores; `nil` for the types that are built in, and for unknown ones.
    static func storeClass(_ type: String) -> NSPersistentStore.Type? { classes.withLock { $0[type] } }

    static var types: [String: NSPersistentStore.Type] { classes.withLock { $0 } }
}
