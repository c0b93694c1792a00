public import StrataFiles
public import StrataModel
public import StrataStore

/// What all stores have in common that keep large values in files of their own.
public enum ExternalStorage {
    /// Returns whether a value of an attribute with external storage gets a file: from the threshold on, at the
    /// threshold itself too.
    public static func takesFile(byteCount: Int, threshold: Int) -> Bool { byteCount >= max(1, threshold) }

    /// Returns the slots of an entity whose values may lie in files of their own.
    public static func slots(of entity: EntityDescription) -> [Slot] {
        entity.attributes.compactMap { attribute in
            attribute.declaration.allowsExternalStorage && attribute.slotKind.isVariable ? attribute.slot : nil
        }
    }

    /// Fills a slot with the value in a file, or with what is known of it where the file is lost or damaged.
    ///
    /// - Throws: `StoreError` with `denied`, `io`: what may read well the next time is thrown, and leaves no mark.
    public static func fill(
        _ slot: Slot, from name: String, in directory: ExternalDataDirectory, _ writer: inout RowWriter, _ operation: StoreError.Operation
    ) throws(StoreError) {
        do {
            let bytes = try directory.read(name)
            unsafe bytes.withUnsafeBytes { unsafe writer.set(bytes: $0, at: slot) }
        } catch {
            guard let value = UnavailableValue(error) else { throw StoreError(error, operation) }
            writer.set(value, at: slot)
        }
    }

    /// Returns the name of the file of a value that could not be read, where the file belongs in a directory.
    ///
    /// A row that is written anew there keeps the name, and with it the value, should the file come back. `nil` for a
    /// value that is there, or none, or whose file lay elsewhere.
    public static func nameOfLost(_ row: Row, _ slot: Slot, in directory: ExternalDataDirectory) -> String? {
        guard let value = row.unavailableValue(slot), PathName.parent(of: value.path) == directory.path else { return nil }
        let name = PathName.last(of: value.path)
        return ExternalDataDirectory.isName(name) ? name : nil
    }

    /// Refuses to write a value that could not be read.
    ///
    /// - Throws: `StoreError` with `corrupt`.
    public static func requireAvailable(_ row: Row, _ slot: Slot, _ operation: StoreError.Operation) throws(StoreError) {
        if let value = row.unavailableValue(slot) { throw StoreError(value, operation) }
    }

    /// Removes the files that an interrupted save of a store left behind: those that the store wrote and nothing names.
    ///
    /// The caller holds the store's write lock, so that no files are written meanwhile, and has seen that no older state is read.
    ///
    /// - Parameters:
    ///   - directory: Where the files of the store lie, among those of others.
    ///   - forEachName: Calls its argument with the names in the store's present state, as long as that answers true.
    /// - Throws: `FileError` where the directory cannot be listed or a file removed; what `forEachName` throws, with nothing removed.
    public static func removeUnnamed(
        in directory: ExternalDataDirectory, _ forEachName: ((String) -> Bool) throws -> Void
    ) throws {
        var unnamed = try directory.ownedNames()
        if unnamed.isEmpty { return }
        try forEachName { name in
            unnamed.remove(name)
            return !unnamed.isEmpty
        }
        try directory.remove(unnamed)
    }
}

extension UnavailableValue {
    /// Creates the value of a file that could not be read; `nil` where that says nothing about the file, which may be
    /// read the next time.
    public init?(_ error: FileError) {
        if error.isMissing {
            self.init(.missing, path: error.path)
        } else if error.isDamage || error.isNoFile {
            self.init(.damaged, path: error.path)
        } else {
            return nil
        }
    }
}

extension StoreError {
    /// Refuses a copy of a store that would have its values in the very files of the original: each would remove the other's.
    ///
    /// - Throws: `StoreError` with `unsupported`.
    public static func refuseSharing(
        _ names: some Collection<String>, _ copy: ExternalDataDirectory, _ original: ExternalDataDirectory,
        _ operation: StoreError.Operation,
        path: String
    ) throws(StoreError) {
        guard !names.isEmpty, copy.path == original.path else { return }
        throw StoreError(
            .unsupported, operation,
            "the copy would share the files of its external values with the original; give it a name that differs before the extension",
            path: path)
    }
}
