import Synchronization

/// A model, a coordinator with its stores, and contexts over them: all that an application sets up.
///
/// ```swift
/// let container = NSPersistentContainer(name: "Zoo")
/// container.loadPersistentStores { _, error in if let error { fatalError("\(error)") } }
/// let zebra = Animal(context: container.viewContext)
/// ```
// Unchecked: a lock guards its mutable state.
open class NSPersistentContainer: NSObject, @unchecked Sendable {
    /// The name: of the model where none is given, and of the store's file.
    open var name: String { madeName }
    /// The context of the main queue.
    open var viewContext: NSManagedObjectContext { madeContext }
    /// The model.
    open var managedObjectModel: NSManagedObjectModel { madeCoordinator.managedObjectModel }
    /// The coordinator of all contexts of the container.
    open var persistentStoreCoordinator: NSPersistentStoreCoordinator { madeCoordinator }
    private let madeName: String
    private let madeContext: NSManagedObjectContext
    private let madeCoordinator: NSPersistentStoreCoordinator
    private let descriptions: Mutex<[NSPersistentStoreDescription]>

    /// Creates a container with the model of its name, which is looked for in all bundles.
    public convenience init(name: String) {
        if let model = NSManagedObjectModel.named(name, in: nil) {
            self.init(name: name, managedObjectModel: model)
        } else {
            FileHandle.standardError.write(Data("error: Failed to load model named \(name)\n".utf8))
            self.init(name: name, managedObjectModel: NSManagedObjectModel())
        }
    }

    /// Creates a container with a model.
    public init(name: String, managedObjectModel model: NSManagedObjectModel) {
        madeName = name
        madeCoordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        madeContext = NSManagedObjectContext(.mainQueue)
        let description = NSPersistentStoreDescription(url: Self.defaultDirectoryURL().appendingPathComponent("\(name).sqlite"))
        descriptions = Mutex([description])
        super.init()
        madeContext.name = "viewContext"
        madeContext.persistentStoreCoordinator = madeCoordinator
    }

    /// Returns the default directory of stores: the user's folder for application data, created if missing.
    open class func defaultDirectoryURL() -> URL {
        let manager = FileManager.default
        let base = manager.urls(for: .applicationSupportDirectory, in: .userDomainMask).first ?? manager.temporaryDirectory
        let directory = base.appendingPathComponent(ProcessInfo.processInfo.processName, isDirectory: true)
        try? manager.createDirectory(at: directory, withIntermediateDirectories: true)
        return directory
    }

    /// The stores that are to be opened; one SQLite store in the default directory by default.
    open var persistentStoreDescriptions: [NSPersistentStoreDescription] {
        get { descriptions.withLock { $0 } }
        set { descriptions.withLock { $0 = newValue } }
    }

    /// Opens the stores, or creates new ones.
    ///
    /// - Parameter block: Called for each store, with the error if it could not be opened; on this thread by default,
    ///   on another one if its description opens it in the background.
    open func loadPersistentStores(completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void) {
        for description in persistentStoreDescriptions where !isOpen(description) {
            if let directory = description.url?.deletingLastPathComponent(), description.url?.isNullDevice == false {
                try? FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            }
            persistentStoreCoordinator.addPersistentStore(with: description, completionHandler: block)
        }
    }

    private func isOpen(_ description: NSPersistentStoreDescription) -> Bool {
        guard let url = description.url, url.path != "/dev/null" else { return false }
        return persistentStoreCoordinator.persistentStore(for: url) != nil
    }

    /// Returns a context with a queue of its own.
    open func newBackgroundContext() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = persistentStoreCoordinator
        return context
    }

    /// Runs a block with a context of its own, on that context's queue, some time soon.
    @preconcurrency
    open func performBackgroundTask(_ block: @escaping @Sendable (NSManagedObjectContext) -> Void) {
        let context = newBackgroundContext()
        context.perform { block(context) }
    }

    /// Runs a block with a new context, on that context's queue, and returns its result.
    ///
    /// - Throws: The block's error.
    @preconcurrency
    public func performBackgroundTask<T>(_ block: @escaping @Sendable (NSManagedObjectContext) throws -> T) async rethrows -> T {
        let context = newBackgroundContext()
        return try await context.perform { try block(context) }
    }
}

// Services of Apple's: code that names them gets a hint on what to write instead.

/// A container whose stores are mirrored to CloudKit, which Linux does not have.
@available(*, unavailable, message: "CloudKit is not there on Linux: use NSPersistentContainer")
open class NSPersistentCloudKitContainer: NSPersistentContainer, @unchecked Sendable {}

/// How a store is mirrored to CloudKit, which Linux does not have.
@available(*, unavailable, message: "CloudKit is not there on Linux: leave the options of a store's description out")
open class NSPersistentCloudKitContainerOptions: NSObject {}

/// Indexes objects for Spotlight, which Linux does not have.
@available(*, unavailable, message: "Spotlight is not there on Linux: leave it out")
open class NSCoreDataCoreSpotlightDelegate: NSObject {}
