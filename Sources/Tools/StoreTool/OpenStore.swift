public import Strata

/// A coordinator with one store.
public struct OpenStore: Sendable {
    /// The coordinator.
    public let coordinator: PersistentStoreCoordinator
    /// The store.
    public let store: any PersistentStore
    /// The description that the store was opened with.
    public let description: StoreDescription

    /// Opens a store.
    ///
    /// - Throws: `StoreError`.
    public init(_ description: StoreDescription, model: ManagedObjectModel) throws {
        coordinator = PersistentStoreCoordinator(model: model)
        store = try coordinator.addStore(description)
        self.description = description
    }

    /// The store's model.
    public var model: ManagedObjectModel { coordinator.model }

    /// Returns the ID of an object by its URI, or the end of it.
    ///
    /// - Throws: `CommandFailure` where the store has no such object.
    public func objectID(_ uri: String) throws -> ObjectID {
        guard let id = coordinator.objectID(spelled: uri) else {
            throw CommandFailure(.missing, "\(uri) is no URI of an object in this store")
        }
        return id
    }

    /// Runs a block with a context of the store.
    public func read<T: Sendable>(_ body: (ManagedObjectContext) throws -> T) throws -> T {
        try BackgroundContext(coordinator, name: "strata").performAndWait(body)
    }
}

extension StoreDescription {
    /// Creates the description of a store that is read alone, of the kind that its file or URL shows.
    ///
    /// - Throws: As ``StoreKind/init(ofStoreAt:)``.
    public init(readingStoreAt store: String, kind: StoreKind? = nil, schema: String? = nil) throws {
        let isServer = StoreDescription.isServer(store)
        let kind = try kind ?? (isServer ? .postgresql : StoreKind(ofStoreAt: store))
        self = kind.description(at: isServer ? .server(ServerAddress(store, name: schema)) : .file(store))
        isReadOnly = true
    }

    /// Returns whether a store on the command line is the URL of a server's database rather than a path.
    public static func isServer(_ store: String) -> Bool { store.hasPrefix("postgresql://") || store.hasPrefix("postgres://") }
}
