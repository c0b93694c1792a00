/// The external value files of a store, for copying, replacing or removing it.
///
/// A store that cannot be read has none: another one may keep its own in the same directory.
public struct ExternalValuesOfStore: Sendable {
    /// The directory of the files, and those of others.
    public let directory: ExternalDataDirectory
    /// The file names in rows.
    public private(set) var names: Set<String>

    /// Creates the files of a store.
    ///
    /// - Parameters:
    ///   - storeID: The ID of the store; `nil` where none of its files are removed.
    ///   - path: The path of the store.
    ///   - forEachName: Calls its argument with the names in rows, as long as that returns true.
    /// - Throws: What `forEachName` throws.
    public init(of storeID: StoreID?, at path: String, _ forEachName: ((String) -> Bool) throws -> Void) rethrows {
        directory = ExternalDataDirectory(storePath: path, storeID: storeID?.rawValue)
        var names: Set<String> = []
        try forEachName { name in
            names.insert(name)
            return true
        }
        self.names = names
    }

    /// Adds the store's files that no row names: another writer may be about to name them.
    ///
    /// - Throws: `FileError` where the directory cannot be listed.
    public mutating func addOwned() throws { names.formUnion(try directory.ownedNames()) }

    /// Copies the files for a copy of the store at a path, or links those of an earlier copy.
    ///
    /// - Throws: `StoreError` with `unsupported` where both would share their value files; `FileError` of the first
    ///   file that cannot be read or written.
    public func copy(forStoreAt path: String, linking earlier: String? = nil) throws {
        let copy = ExternalDataDirectory(storePath: path)
        try StoreError.refuseSharing(names, copy: copy, original: directory, .replace, path: path)
        try directory.copy(names, to: copy, linking: earlier.map { ExternalDataDirectory(storePath: $0) })
    }

    /// Removes all files of a store that was removed.
    ///
    /// - Throws: `FileError` of the first file that cannot be removed.
    public func remove() throws { try directory.removeStore(naming: names) }

    /// Removes the files of a replaced store, except those of the new one; files that stay behind do no harm.
    public func remove(keeping others: ExternalValuesOfStore) {
        try? directory.remove(names.union(directory.ownedNames()).subtracting(others.names))
    }
}
