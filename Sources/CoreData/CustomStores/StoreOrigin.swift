import Foundation

/// What a coordinator makes a store of a registered class with.
public struct StoreOrigin {
    let coordinator: NSPersistentStoreCoordinator
    let configurationName: String?
    let url: URL
    let options: [AnyHashable: Any]?
}
