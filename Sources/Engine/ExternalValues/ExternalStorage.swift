/// The functions that all stores with external value files share.
public enum ExternalStorage {
    /// Returns whether a value of an attribute with external storage gets a file: from the threshold on.
    public static func takesFile(byteCount: Int, threshold: Int) -> Bool { byteCount >= max(1, threshold) }

    /// Returns the slots of an entity's attributes with external storage.
    public static func slots(of entity: EntityDescription) -> [Slot] {
        entity.attributes.compactMap { attribute in
            attribute.declaration.allowsExternalStorage && attribute.slotKind.isVariable ? attribute.slot : nil
        }
    }

    /// Fills a slot with the value in a file, or with the mark of a lost or damaged one.
    ///
    /// - Throws: `StoreError` with `denied`, `io`: errors that may not recur are thrown, and leave no mark.
    public static func fill(
        _ slot: Slot, from name: String, in directory: ExternalDataDirectory, into writer: inout RowWriter,
        _ operation: StoreError.Operation
    ) throws(StoreError) {
        do {
            let bytes = try directory.read(name)
            unsafe bytes.withUnsafeBytes { unsafe writer.set(bytes: $0, at: slot) }
        } catch {
            guard let value = UnavailableValue(error) else { throw StoreError(error, operation) }
            writer.set(value, at: slot)
        }
    }

    /// Returns the name of the file of a lost value, where the file belongs to a directory.
    ///
    /// A rewritten row keeps the name, and with it the value, should the file come back. `nil` for a value that is
    /// present or nil, or whose file was elsewhere.
    public static func nameOfLost(_ row: Row, _ slot: Slot, in directory: ExternalDataDirectory) -> String? {
        guard let value = row.unavailableValue(slot), PathName.parent(of: value.path) == directory.path else { return nil }
        let name = PathName.last(of: value.path)
        return ExternalDataDirectory.isName(name) ? name : nil
    }

    /// Throws for a value that could not be read, and must not be written.
    ///
    /// - Throws: `StoreError` with `corrupt`.
    public static func requireAvailable(_ row: Row, _ slot: Slot, for operation: StoreError.Operation) throws(StoreError) {
        if let value = row.unavailableValue(slot) { throw StoreError(value, operation) }
    }

    /// Removes the files that an interrupted save of a store left behind: its own without a row.
    ///
    /// The caller has the store's write lock, so that no files are written meanwhile, and knows that no older state is
    /// read.
    ///
    /// - Parameters:
    ///   - directory: The directory of the store's files, and those of others.
    ///   - forEachName: Calls its argument with the names in the store's current state, as long as that returns true.
    /// - Throws: `FileError` where the directory cannot be listed or a file removed; what `forEachName` throws, with
    ///   nothing removed.
    public static func removeUnnamed(in directory: ExternalDataDirectory, _ forEachName: ((String) -> Bool) throws -> Void) throws {
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
    /// Creates the mark of a file that could not be read; `nil` for errors that may not recur.
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
    /// Rejects a copy of a store that would share the value files of the original: each would remove the other's.
    ///
    /// - Throws: `StoreError` with `unsupported`.
    public static func refuseSharing(
        _ names: some Collection<String>, copy: ExternalDataDirectory, original: ExternalDataDirectory, _ operation: StoreError.Operation,
        path: String
    ) throws(StoreError) {
        guard !names.isEmpty, copy.path == original.path else { return }
        throw StoreError(
            .unsupported, operation,
            "the copy would share the files of its external values with the original; give it a name that differs before the extension",
            path: path)
    }
}
