import Foundation

/// The arguments of a coordinator's call to the initializer of a registered store class.
public struct StoreOrigin {
    let coordinator: NSPersistentStoreCoordinator
    let configurationName: String?
    let url: URL
    let options: [AnyHashable: Any]?
}
