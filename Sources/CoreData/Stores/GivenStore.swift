import Foundation

/// A store as a program says which it means.
struct GivenStore {
    let type: String
    /// The configuration whose entities it holds; `nil` for all.
    let configuration: String?
    /// `nil` for one in memory.
    let url: URL?
    let options: [AnyHashable: Any]?

    init(_ type: String, configuration: String?, at url: URL?, _ options: [AnyHashable: Any]?) {
        // A store without a configuration tells this name, and programs say it for a copy of the store.
        self.configuration = configuration == NSPersistentStore.defaultConfigurationName ? nil : configuration
        (self.type, self.url, self.options) = (type, url, options)
    }

    /// The store as one that can be written.
    var writable: GivenStore {
        let options = options?.filter { $0.key as? String != NSReadOnlyPersistentStoreOption }
        return GivenStore(type, configuration: configuration, at: url, options)
    }

    /// The URL, or one of nothing.
    var place: URL { url ?? URL(fileURLWithPath: "/dev/null") }
}
