import Foundation
import Synchronization

/// The registered store classes, by type name.
enum StoreClasses {
    // Classes are immutable.
    private static let classes = Mutex<[String: NSPersistentStore.Type]>([:])

    static func set(_ storeClass: NSPersistentStore.Type?, for type: String) { classes.withLock { $0[type] = storeClass } }

    /// Returns the class of a type's stores; `nil` for built-in and unknown types.
    static func storeClass(_ type: String) -> NSPersistentStore.Type? { classes.withLock { $0[type] } }

    static var types: [String: NSPersistentStore.Type] { classes.withLock { $0 } }
}
