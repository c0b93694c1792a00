/// The description of a store that a container opens.
// Unchecked: one thread sets it up, and it is only read once a container or a coordinator has it.
open class NSPersistentStoreDescription: NSObject, NSCopying, @unchecked Sendable {
    /// Which kind of store it is; SQLite by default.
    open var type = NSSQLiteStoreType
    /// The configuration whose entities it holds; `nil` for all entities.
    open var configuration: String?
    /// The URL; at `/dev/null` a store of any kind stores nothing, and coordinators share one at `/dev/null/Name` while one of them has it open.
    open var url: URL?
    /// How it works, by option key.
    public final private(set) var options: [String: NSObject] = [
        NSMigratePersistentStoresAutomaticallyOption: NSNumber(value: true),
        NSInferMappingModelAutomaticallyOption: NSNumber(value: true),
    ]
    /// Whether it is opened in the background; false by default.
    open var shouldAddStoreAsynchronously = false

    /// Creates a SQLite store.
    public convenience init(url: URL) {
        self.init()
        self.url = url
    }

    /// Sets how the store works, by an option key; `nil` takes the option away.
    open func setOption(_ option: NSObject?, forKey key: String) { options[key] = option }

    private func flag(_ key: String) -> Bool { (options[key] as? NSNumber)?.boolValue ?? false }

    /// Whether the store is opened for reading only.
    open var isReadOnly: Bool {
        get { flag(NSReadOnlyPersistentStoreOption) }
        set { setOption(NSNumber(value: newValue), forKey: NSReadOnlyPersistentStoreOption) }
    }

    /// How many seconds to wait for another writer.
    open var timeout: TimeInterval {
        get { (options[NSPersistentStoreTimeoutOption] as? NSNumber)?.doubleValue ?? 240 }
        set { setOption(NSNumber(value: newValue), forKey: NSPersistentStoreTimeoutOption) }
    }

    /// The pragmas of a SQLite store.
    open var sqlitePragmas: [String: NSObject] {
        (options[NSSQLitePragmasOption] as? NSDictionary).flatMap { $0 as? [String: NSObject] } ?? [:]
    }

    /// Sets a pragma of a SQLite store; `nil` takes it away.
    open func setValue(_ value: NSObject?, forPragmaNamed name: String) {
        var pragmas = sqlitePragmas
        pragmas[name] = value
        setOption(NSDictionary(dictionary: pragmas), forKey: NSSQLitePragmasOption)
    }

    /// Whether a store of another version of the model is migrated when it is opened; true by default.
    open var shouldMigrateStoreAutomatically: Bool {
        get { flag(NSMigratePersistentStoresAutomaticallyOption) }
        set { setOption(NSNumber(value: newValue), forKey: NSMigratePersistentStoresAutomaticallyOption) }
    }

    /// Whether the mapping of a migration is inferred; else it is looked for in the bundles.
    ///
    /// True by default.
    open var shouldInferMappingModelAutomatically: Bool {
        get { flag(NSInferMappingModelAutomaticallyOption) }
        set { setOption(NSNumber(value: newValue), forKey: NSInferMappingModelAutomaticallyOption) }
    }

    /// Returns a description of the same.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSPersistentStoreDescription()
        copy.type = type
        copy.configuration = configuration
        copy.url = url
        copy.options = options
        copy.shouldAddStoreAsynchronously = shouldAddStoreAsynchronously
        return copy
    }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSPersistentStoreDescription else { return false }
        return type == other.type && configuration == other.configuration && url == other.url && options == other.options
            && shouldAddStoreAsynchronously == other.shouldAddStoreAsynchronously
    }

    open override var hash: Int {
        var hasher = Hasher()
        hasher.combine(type)
        hasher.combine(url)
        return hasher.finalize()
    }

    open override var description: String { "<NSPersistentStoreDescription (type: \(type), url: \(url?.absoluteString ?? "(null)"))>" }
}
