public import StrataFiles
public import StrataModel
public import StrataStore

/// The values of an atomic store that lie in files of their own beside it.
///
/// A codec asks it for each value of an attribute with external storage: ``value(named:at:)`` while it loads, ``name(of:_:at:)`` while it
/// writes. Values that did not change since are not written again. Used by one thread at a time.
// Unchecked: the store uses it only while it opens and while it holds the write lock.
public final class ExternalValues: @unchecked Sendable {
    /// The slot of a row that a value belongs to.
    public struct Location: Hashable, Sendable {
        let root: EntityIndex
        let reference: Int64
        let slot: Slot

        /// Creates a slot of a row.
        public init(root: EntityIndex, reference: Int64, slot: Slot) {
            self.root = root
            self.reference = reference
            self.slot = slot
        }
    }

    /// `nil` where every value belongs in the store's own file.
    private var files: ExternalWrites?
    /// The files that the store's file names.
    private var saved: [Location: String] = [:]
    /// The files that the file under way names.
    private var next: [Location: String] = [:]
    /// The locations whose values change in the file under way.
    private var changed: Set<Location> = []

    /// Creates the values in a directory.
    ///
    /// - Parameters:
    ///   - directory: Where the files lie; `nil` where every value belongs in the store's own file.
    ///   - threshold: The length in bytes from which a value gets a file.
    public init(directory: ExternalDataDirectory?, threshold: Int = StoreOptions().externalStorageThreshold) {
        files = directory.map { ExternalWrites($0, threshold: threshold) }
    }

    /// Returns the name of the file that holds the value of a row's slot, written first where it is not there yet.
    ///
    /// - Returns: `nil` when the value belongs in the store's own file: it is short, or none, or the store has no
    ///   directory for files.
    /// - Throws: `StoreError` with `full`, `denied`, `io`; `corrupt` where the value could not be read and was not this
    ///   store's.
    public func name(of row: Row, _ slot: Slot, at location: Location) throws -> String? {
        if let bytes = unsafe row.bytes(slot) { return try unsafe name(of: bytes, at: location) }
        guard row.isUnavailable(slot) else { return nil }
        // The name of a lost value is kept: its file may come back.
        let lost = files.flatMap { ExternalStorage.nameOfLost(row, slot, in: $0.directory) }
        guard let known = saved[location] ?? lost, !changed.contains(location) else {
            try ExternalStorage.requireAvailable(row, slot, .save)
            return nil
        }
        next[location] = known
        return known
    }

    /// Returns the name of the file that holds a value, written first where it is not there yet.
    ///
    /// - Returns: `nil` when the value belongs in the store's own file: it is short, or the store has no directory for
    ///   files.
    /// - Throws: `StoreError` with `full`, `denied`, `io`.
    public func name(of bytes: UnsafeRawBufferPointer, at location: Location) throws -> String? {
        guard files?.takesFile(byteCount: bytes.count) == true else { return nil }
        if let known = next[location] { return known }
        if !changed.contains(location), let known = saved[location] {
            next[location] = known
            return known
        }
        let name = try unsafe files?.write(bytes)
        next[location] = name
        return name
    }

    /// Returns the value in a file, or what is known of it where the file is lost or damaged.
    ///
    /// - Throws: `StoreError` with `denied`, `io`; `corrupt` where there can be no such file.
    public func value(named name: String, at location: Location) throws -> Result<[UInt8], UnavailableValue> {
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

    /// Says whose values they are, before the first is written.
    func belong(to storeID: StoreID) { files = files?.owned(by: storeID) }

    /// Removes what an interrupted save left behind.
    ///
    /// The caller holds the store's write lock; all values are loaded.
    func removeUnnamed() throws {
        guard let directory = files?.directory else { return }
        try ExternalStorage.removeUnnamed(in: directory) { strike in
            for name in saved.values where !strike(name) { return }
        }
    }

    /// The store's file is another one now, and names the values that were read with it.
    func adopt(_ other: ExternalValues) { saved = other.saved }

    /// Marks the value of a location as changed.
    func change(_ location: Location) { changed.insert(location) }

    /// Begins the file under way anew, with no value named yet; files that were written for it go.
    func restart() {
        files?.discard()
        next = [:]
    }

    /// The file under way took the location of the store's: the files that it does not name go.
    func commit() {
        let kept = Set(next.values)
        let dropped = saved.values.filter { !kept.contains($0) }
        saved = next
        next = [:]
        changed = []
        files?.forget()
        // A file that stays behind is named by nobody and does no harm.
        try? files?.directory.remove(dropped)
    }

    /// The file under way is given up.
    func rollback() {
        restart()
        changed = []
    }

    /// It is unknown whether the file under way is in place: all files stay.
    func abandon() {
        next = [:]
        changed = []
        files?.forget()
    }
}
