public import StrataStore
import Synchronization

extension PersistentStoreCoordinator {
    /// Returns the model that a store was made with, of plain managed objects, as the store itself keeps it: in SQLite
    /// stores of Apple's Core Data the compiled model in their cache.
    ///
    /// - Returns: `nil` where the store keeps no model, or its compiled one cannot be read.
    /// - Throws: `StoreError` where the store cannot be read; `corrupt` where the model is malformed, or is another
    ///   version than the store's hashes.
    public static func model(ofStoreAt location: StoreLocation, _ driver: any StoreDriver) throws -> ManagedObjectModel? {
        let metadata = try driver.metadata(at: location)
        if let kept = try metadata.model() { return kept }
        guard let cached = try driver.foreignModel(at: location) else { return nil }
        guard metadata.isCompatible(with: cached) else {
            throw StoreError(
                .corrupt, .metadata, "the model in the store's cache is of another version than its hashes", path: location.path)
        }
        return cached
    }

    /// A coordinator over one store and its own model, for those who do not have the model in their code: tools, and
    /// migrations.
    ///
    /// ```swift
    /// let coordinator = try PersistentStoreCoordinator(openingWithOwnModel: StoreDescription(.sqlite, path: "zoo.sqlite"))
    /// for entity in coordinator.model.entities { print(entity.name) }
    /// ```
    /// - Throws: `StoreError`; `incompatibleModel` where the store keeps no model.
    public convenience init(openingWithOwnModel description: StoreDescription) throws {
        guard let model = try PersistentStoreCoordinator.model(ofStoreAt: description.location, description.driver) else {
            throw StoreError(.incompatibleModel, .open, "the store does not keep the model that it was made with", path: description.path)
        }
        self.init(model: model)
        try addStore(description)
    }

    /// Removes a store with all its files, including those of interrupted two-phase commits.
    ///
    /// The outcome of such a save, without its values, stays until the other stores of the save have it.
    ///
    /// - Throws: `StoreError` with `locked` while this or another coordinator has it open.
    public func destroyStore(at path: String, _ driver: any StoreDriver) throws {
        try requireNotOpen(path, .destroy)
        let leftovers = SavesOfMissingStore(path, driver)
        let lock = StagedMigration.lockPath(path)
        try driver.destroy(at: path)
        leftovers.remove()
        try? PosixFileSystem.shared.unlink(lock)
        try? RestoreMark(besideStoreAt: path).remove()
    }

    /// Replaces a store by a copy of another one; copies it where there is none.
    ///
    /// The files of interrupted saves are removed with a store that is replaced by another one, as when it is
    /// destroyed, and stay with one that is replaced by a copy of its own.
    ///
    /// - Parameters:
    ///   - path: The path of the store to replace.
    ///   - source: The path of the store to copy.
    ///   - driver: The driver of both.
    ///   - replacesUnrecognized: Whether a file is replaced that is too damaged to show that it is a store; it is kept beside the store, with
    ///     the ending `damaged`, where the file system has links.
    /// - Throws: `StoreError` with `locked` while this coordinator has the store at `path` open, `foreign` for a file that is no store.
    public func replaceStore(
        at path: String, withStoreAt source: String, _ driver: any StoreDriver, replacingUnrecognized replacesUnrecognized: Bool = false
    ) throws {
        try requireNotOpen(path, .replace)
        let leftovers = SavesOfMissingStore(path, driver)
        let isUnrecognized = replacesUnrecognized && leftovers.storeID == nil
        let replacement = StoreReplacement(replacesUnrecognized: isUnrecognized) {
            if isUnrecognized { try DamagedFile(path: path).keep() }
        }
        try driver.replace(at: .file(path), withStoreAt: .file(source), replacement)
        if try driver.metadata(at: path).storeID != leftovers.storeID { leftovers.remove() }
    }

    func requireNotOpen(_ path: String?, _ operation: StoreError.Operation) throws {
        if let path, entries.withLock({ $0.contains { $0.store.path == path } }) {
            throw StoreError(.locked, operation, "the coordinator has the store open", path: path)
        }
    }
}
