public import StrataStore

extension PersistentStoreCoordinator {
    /// Returns the metadata of a store as of its last save.
    ///
    /// - Throws: `StoreError` with `noStore` where the coordinator does not have the store, `closed`, `corrupt` or
    ///   `io`.
    public func metadata(of store: any PersistentStore) throws -> StoreMetadata {
        try requireEntry(of: store, .metadata).store.metadata()
    }

    /// Changes an application's values in the metadata of a store.
    ///
    /// - Throws: `StoreError`, `noStore` where the coordinator does not have the store, `tooLarge` where arrays and
    ///   dictionaries are nested too deeply, `unsupported` for a change under one of
    ///   ``/StrataStore/StoreMetadata/coreDataKeys``; the type, ID and hashes stay as they are whatever is given.
    public func setUserInfo(_ userInfo: [String: PropertyListValue], of store: any PersistentStore) throws {
        try write(toStore: { try requireEntry(of: store, .setUserInfo) }, isRepeatable: true) { entry, writer in
            let stored = try writer.transaction.metadata()
            var metadata = stored
            metadata.userInfo = userInfo
            metadata = try metadata.replacing(stored, .setUserInfo, path: entry.store.path)
            _ = try writer.transaction.apply(ChangeSet(metadata: metadata))
        }
    }
}
