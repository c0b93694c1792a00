import Foundation

/// The arguments of a program that identify a store.
struct GivenStore {
    let type: String
    let configuration: String?
    /// `nil` for an in-memory store.
    let url: URL?
    let options: [AnyHashable: Any]?

    init(_ type: String, configuration: String?, at url: URL?, _ options: [AnyHashable: Any]?) {
        // A store without a configuration has this name, which programs pass for a copy of the store.
        self.configuration = configuration == NSPersistentStore.defaultConfigurationName ? nil : configuration
        (self.type, self.url, self.options) = (type, url, options)
    }

    /// The store without read-only options.
    var writable: GivenStore {
        let options = options?.filter { $0.key as? String != NSReadOnlyPersistentStoreOption }
        return GivenStore(type, configuration: configuration, at: url, options)
    }

    /// The URL, or that of the null device.
    var existingURL: URL { url ?? URL(fileURLWithPath: "/dev/null") }
}
