/// The external values of an atomic store.
///
/// A codec calls it for each value of an attribute with external storage: ``value(named:at:)`` while loading,
/// ``name(of:_:at:)`` while writing. Unchanged values are not written again. Used by one thread at a time.
// Unchecked: the store uses it only while it opens and while it has the write lock.
public final class ExternalValues: @unchecked Sendable {
    /// The slot of a row that a value belongs to.
    public struct Location: Hashable, Sendable {
        let root: EntityIndex
        let reference: Int64
        let slot: Slot

        /// Creates the location of a slot of a row.
        public init(root: EntityIndex, reference: Int64, slot: Slot) {
            self.root = root
            self.reference = reference
            self.slot = slot
        }
    }

    /// `nil` without external storage.
    private var files: ExternalWrites?
    /// The file names in the store's file.
    private var saved: [Location: String] = [:]
    /// The file names in the new file.
    private var next: [Location: String] = [:]
    /// The locations whose values change in the new file.
    private var changed: Set<Location> = []

    /// Creates the values in a directory.
    ///
    /// - Parameters:
    ///   - directory: The directory of the files; `nil` where every value is in the store's own file.
    ///   - threshold: The length in bytes from which a value gets a file.
    public init(directory: ExternalDataDirectory?, threshold: Int = StoreOptions().externalStorageThreshold) {
        files = directory.map { ExternalWrites($0, threshold: threshold) }
    }

    /// Returns the name of the file with the value of a row's slot, after writing a new one where necessary.
    ///
    /// - Returns: `nil` when the value belongs in the store's own file: it is short, or nil, or the store has no
    ///   directory for files.
    /// - Throws: `StoreError` with `full`, `denied`, `io`; `corrupt` where the value could not be read and was not this
    ///   store's.
    public func name(of row: Row, _ slot: Slot, at location: Location) throws -> String? {
        if let bytes = unsafe row.bytes(slot) { return try unsafe name(of: bytes, at: location) }
        guard row.isUnavailable(slot) else { return nil }
        // The name of a lost value is kept: its file may come back.
        let lost = files.flatMap { ExternalStorage.nameOfLost(row, slot, in: $0.directory) }
        guard let known = saved[location] ?? lost, !changed.contains(location) else {
            try ExternalStorage.requireAvailable(row, slot, for: .save)
            return nil
        }
        next[location] = known
        return known
    }

    /// Returns the name of the file with a value, after writing a new one where necessary.
    ///
    /// - Returns: `nil` when the value belongs in the store's own file: it is short, or the store has no directory for
    ///   files.
    /// - Throws: `StoreError` with `full`, `denied`, `io`.
    public func name(of bytes: UnsafeRawBufferPointer, at location: Location) throws -> String? {
        guard files?.takesFile(byteCount: bytes.count) == true else { return nil }
        let unchanged = changed.contains(location) ? nil : saved[location]
        let name = try unsafe next[location] ?? unchanged ?? files?.write(bytes)
        next[location] = name
        return name
    }

    /// Returns the value in a file, or the mark of a lost or damaged one.
    ///
    /// - Throws: `StoreError` with `denied`, `io`; `corrupt` where there can be no such file.
    public func value(named name: String, at location: Location) throws(StoreError) -> Result<[UInt8], UnavailableValue> {
        guard let directory = files?.directory else {
            throw StoreError(.corrupt, .open, "the store has no directory for the value in the file \(name)")
        }
        guard ExternalDataDirectory.isName(name) else { throw StoreError(.corrupt, .open, "\(name) is no name of a value's file") }
        saved[location] = name
        do { return .success(try directory.read(name)) } catch {
            guard let value = UnavailableValue(error) else { throw StoreError(error, .open) }
            return .failure(value)
        }
    }

    /// Sets the owner of the values, before the first is written.
    func belong(to storeID: StoreID) { files = files?.owned(by: storeID) }

    /// Removes what an interrupted save left behind.
    ///
    /// The caller has the write lock; all values are loaded.
    func removeUnnamed() throws {
        guard let directory = files?.directory else { return }
        try ExternalStorage.removeUnnamed(in: directory) { strike in
            for name in saved.values where !strike(name) { return }
        }
    }

    /// Adopts the values of a replaced file.
    func adopt(_ other: ExternalValues) { saved = other.saved }

    func change(_ location: Location) { changed.insert(location) }

    /// Begins a new file without values, and removes those of the one before.
    func restart() {
        files?.discard()
        next = [:]
    }

    /// Keeps the values of all rows but those that a save appended to the file changes, which are packed already.
    func keep(except changes: [ChangeSet], _ model: ManagedObjectModel) {
        if saved.isEmpty { return }
        var changed: Set<[Int64]> = []
        func change(_ entity: EntityIndex, _ reference: Int64) {
            changed.insert([Int64(model.entities[entity].root.rawValue), reference])
        }
        for set in changes {
            for deletion in set.deleted { change(deletion.entity, deletion.reference) }
            for update in set.updated { change(update.row.entityIndex, update.row.reference) }
            for row in set.inserted { change(row.entityIndex, row.reference) }
        }
        for (location, name) in saved where !changed.contains([Int64(location.root.rawValue), location.reference]) { next[location] = name }
    }

    /// The files that the new file does not name.
    private var dropped: [String] {
        if saved.isEmpty { return [] }
        let kept = Set(next.values)
        return saved.values.filter { !kept.contains($0) }
    }

    /// Whether ``commit()`` removes files.
    var dropsFiles: Bool { !dropped.isEmpty }

    /// Removes the files that the new file does not name, after it replaced the store's.
    func commit() {
        let dropped = dropped
        saved = next
        next = [:]
        changed = []
        files?.forget()
        // A file that stays behind does no harm.
        try? files?.directory.remove(dropped)
    }

    func rollback() {
        restart()
        changed = []
    }

    /// Keeps all files, as it is unknown whether the new file replaced the store's.
    func abandon() {
        next = [:]
        changed = []
        files?.forget()
    }
}
