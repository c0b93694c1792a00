import StrataCoordinator
import StrataModel
import StrataStore

extension NSPersistentStoreCoordinator {
    // MARK: - Metadata

    /// Returns the metadata of an open store.
    public final func metadata(for store: NSPersistentStore) -> [String: Any] { store.metadata }

    /// Has a store keep an application's metadata; it is written at once.
    public final func setMetadata(_ metadata: [String: Any]?, for store: NSPersistentStore) {
        do { try setMetadataChecked(metadata, for: store) } catch {
            programmerError("The metadata cannot be set: \(cocoaError(error).localizedDescription)")
        }
    }

    final func setMetadataChecked(_ metadata: [String: Any]?, for store: NSPersistentStore) throws {
        try coordinator.setUserInfo(try StoreInformation.userInfo(of: metadata ?? [:]), of: try store.opened)
    }

    /// Returns the metadata of a store, which need not be open.
    ///
    /// - Throws: An `NSError` of the store's file.
    public static func metadataForPersistentStore(
        ofType storeType: String, at url: URL, options: [AnyHashable: Any]? = nil
    ) throws -> [String: Any] {
        do {
            return StoreInformation.dictionary(of: try StoreKinds.driver(storeType, options ?? [:]).metadata(at: url.path))
        } catch { throw cocoaError(error) }
    }

    /// Returns the metadata of a store, which need not be open.
    ///
    /// - Throws: As ``metadataForPersistentStore(ofType:at:options:)``.
    public static func metadataForPersistentStore(
        type: NSPersistentStore.StoreType, at url: URL, options: [AnyHashable: Any]? = nil
    ) throws -> [String: Any] { try metadataForPersistentStore(ofType: type.rawValue, at: url, options: options) }

    /// Sets the application's metadata of a store.
    ///
    /// - Throws: An `NSError` of the store's file.
    public static func setMetadata(
        _ metadata: [String: Any]?, forPersistentStoreOfType storeType: String, at url: URL, options: [AnyHashable: Any]? = nil
    ) throws {
        do {
            let driver = try StoreKinds.driver(storeType, options ?? [:])
            var stored = try driver.metadata(at: url.path)
            stored.userInfo = try StoreInformation.userInfo(of: metadata ?? [:])
            try driver.setMetadata(stored, at: url.path)
        } catch { throw cocoaError(error) }
    }

    /// Has a store keep an application's metadata.
    ///
    /// - Throws: As ``setMetadata(_:forPersistentStoreOfType:at:options:)``.
    public static func setMetadata(
        _ metadata: [String: Any]?, type: NSPersistentStore.StoreType, at url: URL, options: [AnyHashable: Any]? = nil
    ) throws { try setMetadata(metadata, forPersistentStoreOfType: type.rawValue, at: url, options: options) }

    // MARK: - Files

    /// Removes a store with all its files; a SQLite store leaves an empty database.
    ///
    /// Coordinators of this process that have it open close it first, and their contexts can no longer read or save.
    ///
    /// - Throws: An `NSError`; the store is locked where another process has it open.
    public final func destroyPersistentStore(at url: URL, ofType storeType: String, options: [AnyHashable: Any]? = nil) throws {
        do {
            // An open database has them.
            let openLogs = ["-wal", "-shm"].map { url.path + $0 }.filter(FileManager.default.fileExists)
            try NSPersistentStore.closeAll(at: url)
            if storeType == NSInMemoryStoreType || url.isInNullDevice { return }
            try coordinator.destroyStore(at: url.path, try StoreKinds.driver(storeType, options ?? [:]))
            // Programs remove the files next, and expect them to exist.
            guard storeType == NSSQLiteStoreType else { return }
            for path in [url.path] + openLogs { _ = FileManager.default.createFile(atPath: path, contents: nil) }
        } catch let error as StoreError where error.code == .missing && !url.isNullDevice {} catch { throw cocoaError(error) }
    }

    /// Removes a store with all its files.
    ///
    /// - Throws: As ``destroyPersistentStore(at:ofType:options:)``.
    public final func destroyPersistentStore(
        at url: URL, type storeType: NSPersistentStore.StoreType, options: [AnyHashable: Any]? = nil
    ) throws { try destroyPersistentStore(at: url, ofType: storeType.rawValue, options: options) }

    /// Replaces a store by a copy of another; copies it if there is none.
    ///
    /// Coordinators of this process that have the replaced store open close it first, as in ``destroyPersistentStore(at:ofType:options:)``.
    ///
    /// - Throws: An `NSError` of either file.
    public final func replacePersistentStore(
        at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil, withPersistentStoreFrom sourceURL: URL,
        sourceOptions: [AnyHashable: Any]? = nil, ofType storeType: String
    ) throws {
        do {
            let driver = try StoreKinds.driver(storeType, destinationOptions ?? [:])
            if destinationURL.standardizedFileURL != sourceURL.standardizedFileURL { try NSPersistentStore.closeAll(at: destinationURL) }
            try coordinator.replaceStore(at: destinationURL.path, withStoreAt: sourceURL.path, driver)
        } catch { throw cocoaError(error) }
    }

    /// Puts a copy of a store where another one is; copies it where none is.
    ///
    /// - Throws: As ``replacePersistentStore(at:destinationOptions:withPersistentStoreFrom:sourceOptions:ofType:)``.
    public final func replacePersistentStore(
        at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil, withPersistentStoreFrom sourceURL: URL,
        sourceOptions: [AnyHashable: Any]? = nil, type storeType: NSPersistentStore.StoreType
    ) throws {
        try replacePersistentStore(
            at: destinationURL, destinationOptions: destinationOptions, withPersistentStoreFrom: sourceURL, sourceOptions: sourceOptions,
            ofType: storeType.rawValue)
    }

    // MARK: - IDs

    /// Returns the ID of a URI; `nil` if its store is not open here, or the model has no such entity.
    public final func managedObjectID(forURIRepresentation url: URL) -> NSManagedObjectID? {
        ReferenceURIs.id(url.absoluteString, in: self) ?? coordinator.objectID(forURI: url.absoluteString).map { NSManagedObjectID($0) }
    }

    /// Returns the ID of a URI's text; `nil` as for ``managedObjectID(forURIRepresentation:)``.
    public final func managedObjectID(for string: String) -> NSManagedObjectID? {
        URL(string: string).flatMap { managedObjectID(forURIRepresentation: $0) }
    }

    // MARK: - Requests

    /// Executes a request for a context.
    ///
    /// - Returns: The results of a fetch, as an array; of any other request the result of a context's `execute(_:)`.
    /// - Throws: As a context's `execute(_:)`.
    public final func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext) throws -> Any {
        let result = try context.execute(request)
        return (result as? NSFetchResult)?.result ?? result
    }
}
