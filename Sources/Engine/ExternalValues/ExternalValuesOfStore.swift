public import StrataFiles
public import StrataModel
import StrataStore

/// The files of external values that the rows of a store name, for when it is copied, replaced or removed.
///
/// A store that does not tell any more has none: another one may keep its own in the same directory.
public struct ExternalValuesOfStore: Sendable {
    /// Where the files lie, among those of others.
    public let directory: ExternalDataDirectory
    /// The names that rows hold.
    public private(set) var names: Set<String>

    /// Creates the files of a store.
    ///
    /// - Parameters:
    ///   - storeID: The ID of the store; `nil` where none of its files are going to be removed.
    ///   - path: The path of the store.
    ///   - forEachName: Calls its argument with the names that rows hold, as long as that answers true.
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

    /// Counts what the store wrote and no row names as well: those who write meanwhile may name it in a moment.
    ///
    /// - Throws: `FileError` where the directory cannot be listed.
    public mutating func addOwned() throws { names.formUnion(try directory.ownedNames()) }

    /// Copies the files for a copy of the store at a path.
    ///
    /// - Throws: `StoreError` with `unsupported` where both would have their values in the same files; `FileError` of the first file that
    ///   cannot be read or written.
    public func copy(forStoreAt path: String) throws {
        let copy = ExternalDataDirectory(storePath: path)
        try StoreError.refuseSharing(names, copy, directory, .replace, path: path)
        try directory.copy(names, to: copy)
    }

    /// Removes the files of a store that was removed, with what it wrote and does not name.
    ///
    /// - Throws: `FileError` of the first file that cannot be removed.
    public func remove() throws { try directory.removeStore(naming: names) }

    /// Removes the files of a store that was replaced, but for those that the other one names; files that stay behind do no harm.
    public func remove(keeping others: ExternalValuesOfStore) {
        try? directory.remove(names.union(directory.ownedNames()).subtracting(others.names))
    }
}
