import StrataBinary
import StrataInMemory
import StrataSQLite
import StrataStore
import StrataXML
import Synchronization

/// The drivers of store types.
enum StoreKinds {
    /// Returns the driver of a store type.
    ///
    /// - Parameter origin: The arguments of a store of a registered class that is to be opened.
    /// - Throws: An `NSError` with the code `NSPersistentStoreInvalidTypeError` for an unknown type.
    static func driver(_ type: String, _ options: [AnyHashable: Any], _ origin: StoreOrigin? = nil) throws -> any StoreDriver {
        if let storeClass = storeClasses.withLock({ $0[type] }) {
            let type = StoreType(rawValue: type)
            guard let origin else { return CustomStoreDriver(type: type, storeClass: storeClass, origin: ()) }
            return CustomStoreDriver(type: type, storeClass: storeClass, origin: origin)
        }
        switch type {
        // Programs with Core Data read the histories of such stores.
        case NSSQLiteStoreType: return SQLiteDriver(pragmas: pragmas(options), keepsCoreDataHistory: true)
        case NSXMLStoreType: return .xml
        case NSBinaryStoreType: return .binary
        case NSInMemoryStoreType: return .inMemory
        default:
            let error = StoreError(.wrongType, .open, "there are no stores of the type '\(type)'")
            throw cocoaError(NSPersistentStoreInvalidTypeError, error, [NSLocalizedFailureReasonErrorKey: error.message])
        }
    }

    private static func pragmas(_ options: [AnyHashable: Any]) -> [String: String] {
        let given = options[NSSQLitePragmasOption]
        let pragmas = (given as? NSDictionary).flatMap { $0 as? [String: Any] } ?? given as? [String: Any] ?? [:]
        return pragmas.mapValues { "\($0)" }
    }

    /// Returns the graph's description of a store; throws for URLs other than files, and as ``driver(_:_:_:)``.
    static func description(_ given: GivenStore, of coordinator: NSPersistentStoreCoordinator) throws -> StoreDescription {
        let (type, url, options) = (given.type, given.url, given.options ?? [:])
        let origin = StoreOrigin(coordinator: coordinator, configurationName: given.configuration, url: given.existingURL, options: options)
        let kept = try driver(type, options, origin)
        // A path within the null device is the name of a store in memory, which coordinators share.
        let name = url.flatMap { $0.isInNullDevice && type != NSInMemoryStoreType ? $0.path : nil }
        let driver: any StoreDriver = kept is CustomStoreDriver<StoreOrigin> ? kept : name.map { .inMemory(named: $0) } ?? kept
        let isBuiltIn = !(driver is CustomStoreDriver<StoreOrigin>)
        if isBuiltIn, type != NSInMemoryStoreType, let url, !url.isFileURL {
            throw StoreError(.unsupported, .open, "a store needs the URL of a file, not \(url.absoluteString)")
        }
        // The path of an in-memory store is a name at most.
        let path = driver is InMemoryDriver || url?.isFileURL != true ? nil : url?.path
        let location: StoreLocation = path.map { .file($0) } ?? .memory
        func flag(_ key: String) -> Bool { (options[key] as? NSNumber)?.boolValue ?? options[key] as? Bool ?? false }
        var description = StoreDescription(
            driver, at: location, configuration: coordinator.managedObjectModel.openedConfiguration(given.configuration),
            isReadOnly: flag(NSReadOnlyPersistentStoreOption))
        description.shouldMigrateStoreAutomatically =
            isBuiltIn && flag(NSMigratePersistentStoresAutomaticallyOption) && flag(NSInferMappingModelAutomaticallyOption)
        description.options.ignoresModelVersion = flag(NSIgnorePersistentStoreVersioningOption)
        if isBuiltIn, flag(NSPersistentHistoryTrackingKey) { description.options.history = .unlimited }
        description.options.postsRemoteChanges = flag(NSPersistentStoreRemoteChangeNotificationPostOptionKey)
        if let timeout = (options[NSPersistentStoreTimeoutOption] as? NSNumber)?.doubleValue { description.options.timeout = timeout }
        return description
    }
}

extension URL {
    /// Whether a store there keeps nothing.
    var isNullDevice: Bool { path == "/dev/null" || isInNullDevice }
    var isInNullDevice: Bool { path.hasPrefix("/dev/null/") }
}

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
