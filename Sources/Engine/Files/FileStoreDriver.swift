/// The driver of stores that are files, which it identifies by path.
///
/// Each path is checked before the driver gets it, so that all drivers throw the same errors for bad paths. At
/// `/dev/null` every such driver opens a store in memory, as Core Data does.
public protocol FileStoreDriver: OpeningStoreDriver {
    /// The file system of the stores; the system's own by default.
    var fileSystem: any FileSystem { get }

    /// Opens or creates the store at a path, as `OpeningStoreDriver.open(_:model:)` describes.
    ///
    /// - Throws: `StoreError`.
    func openFile(at path: String, _ description: StoreDescription, model: ManagedObjectModel) throws -> any StoreBackend

    /// Reads the metadata of a store, as `StoreDriver.metadata(at:)` describes.
    ///
    /// - Throws: `StoreError`; with `missing` where there is no file.
    func metadataOfFile(at path: String) throws -> StoreMetadata

    /// Changes the metadata of a store, as `StoreDriver.setMetadata(_:at:)` describes.
    ///
    /// - Throws: `StoreError`; with `missing` where there is no file.
    func setMetadata(_ metadata: StoreMetadata, ofFileAt path: String) throws

    /// Removes a store, as `StoreDriver.destroy(at:)` describes.
    ///
    /// - Throws: `StoreError`.
    func destroyFile(at path: String) throws

    /// Copies a store, as `StoreDriver.replace(at:withStoreAt:_:)` describes.
    ///
    /// - Throws: `StoreError`; what the replacement's block throws.
    func replaceFile(at path: String, withFileAt source: String, _ replacement: StoreReplacement) throws
}

/// The maximum length of a new store's name in bytes: a file system takes 255, and files beside the store have its name
/// with up to 15 more.
private let maximumNameLength = 240

extension FileStoreDriver {
    public var fileSystem: any FileSystem { PosixFileSystem.shared }

    public func open(_ description: StoreDescription, model: ManagedObjectModel) throws -> any StoreBackend {
        if description.location == .null { return try InMemoryTables(description, model).openStore(description, model) }
        return try openFile(at: path(description.location, .open, isNew: !description.isReadOnly), description, model: model)
    }

    public func metadata(at location: StoreLocation) throws -> StoreMetadata { try metadataOfFile(at: path(location, .metadata)) }

    public func setMetadata(_ metadata: StoreMetadata, at location: StoreLocation) throws {
        try setMetadata(metadata, ofFileAt: path(location, .metadata))
    }

    public func destroy(at location: StoreLocation) throws { try destroyFile(at: path(location, .destroy)) }

    public func replace(at location: StoreLocation, withStoreAt source: StoreLocation) throws {
        try replace(at: location, withStoreAt: source, StoreReplacement())
    }

    public func replace(at location: StoreLocation, withStoreAt source: StoreLocation, _ replacement: StoreReplacement) throws {
        try replaceFile(at: path(location, .replace, isNew: true), withFileAt: path(source, .replace), replacement)
    }

    /// - Parameter isNew: Whether the operation makes a missing store.
    private func path(_ location: StoreLocation, _ operation: StoreError.Operation, isNew: Bool = false) throws(StoreError) -> String {
        switch location {
        case .file(""): throw StoreError(.missing, operation, "the path of the store is empty")
        // What keeps nothing has no file: that of the device must stay as it is.
        case .null, .memory: throw StoreError(.missing, operation, "a store of type \(type) needs a path")
        case .file(let path):
            if path.utf8.contains(0) { throw StoreError(.missing, operation, "the path of the store has a NUL character", path: path) }
            if operation != .destroy { try check(path, operation, isNew: isNew) }
            return path
        case .server: throw StoreError(.unsupported, operation, "a store of type \(type) is a file, and not at \(location)")
        }
    }

    /// Checks that a path has a regular file, or that a store can be made there, and is to be.
    private func check(_ path: String, _ operation: StoreError.Operation, isNew: Bool) throws(StoreError) {
        let directory: String
        let (file, parent): (FileStatus?, FileStatus?)
        do {
            let resolved = try fileSystem.resolvingLinks(path)
            directory = PathName.parent(of: resolved)
            file = try fileSystem.statusIfPresent(of: resolved)
            parent = try file == nil ? fileSystem.statusIfPresent(of: directory) : nil
        } catch { throw StoreError(error, operation, path: path) }
        if let file { return try file.requireRegularFile(operation, path: path) }
        guard parent?.isDirectory == true else { throw StoreError.missingDirectory(directory, operation, at: path) }
        guard isNew else { throw StoreError.missingStore(operation, at: path) }
        guard let name = path.split(separator: "/", omittingEmptySubsequences: false).last, !name.isEmpty else {
            throw StoreError(.missing, operation, "the path of the store ends with a slash", path: path)
        }
        guard name.utf8.count <= maximumNameLength else {
            throw StoreError(
                .tooLarge, operation,
                "the store's name has \(name.utf8.count) bytes; at most \(maximumNameLength) are possible, as files beside it have longer names",
                path: path)
        }
    }
}
