import StrataFiles

/// The values of an atomic store that lie in files of their own beside it.
///
/// A codec asks it for each value of an attribute with external storage: ``bytes(named:at:)`` while it loads, ``name(of:at:)`` while it
/// writes. Values that did not change since are not written again. Used by one thread at a time.
// Unchecked: the store uses it only while it opens and while it holds the turn to write.
public final class ExternalValues: @unchecked Sendable {
    /// Where a value belongs.
    public struct Place: Hashable, Sendable {
        let root: Int
        let reference: Int64
        let slot: Int

        /// A slot of a row.
        public init(root: Int, reference: Int64, slot: Int) {
            self.root = root
            self.reference = reference
            self.slot = slot
        }
    }

    private let directory: ExternalDataDirectory?
    private let threshold: Int
    /// The files that the store's file names.
    private var saved: [Place: String] = [:]
    /// The files that the file under way names.
    private var next: [Place: String] = [:]
    /// The files that were written for the file under way.
    private var written: [String] = []
    /// Places whose value changes in the file under way.
    private var changed: Set<Place> = []

    /// The values in a directory.
    ///
    /// - Parameters:
    ///   - directory: Where the files lie; `nil` where every value belongs in the store's own file.
    ///   - threshold: The length in bytes from which a value gets a file.
    public init(directory: ExternalDataDirectory?, threshold: Int = StoreOptions().externalStorageThreshold) {
        self.directory = directory
        self.threshold = threshold
    }

    /// The name of the file that holds a value, written first where it is not there yet.
    ///
    /// - Returns: `nil` when the value belongs in the store's own file: it is short, or the store has no directory for files.
    /// - Throws: ``StoreError`` with `full`, `denied`, `io`.
    public func name(of bytes: UnsafeRawBufferPointer, at place: Place) throws -> String? {
        guard let directory, bytes.count >= threshold else { return nil }
        if let known = next[place] { return known }
        if !changed.contains(place), let known = saved[place] {
            next[place] = known
            return known
        }
        do {
            let name = try directory.write(bytes)
            written.append(name)
            next[place] = name
            return name
        } catch { throw StoreError(error, "save") }
    }

    /// The value in a file.
    ///
    /// - Throws: ``StoreError`` with `corrupt` where there is no such file, else `denied`, `io`.
    public func bytes(named name: String, at place: Place) throws -> [UInt8] {
        guard let directory else { throw StoreError(.corrupt, "open", "the store has no directory for the value in the file \(name)") }
        guard ExternalDataDirectory.isName(name) else { throw StoreError(.corrupt, "open", "\(name) is no name of a value's file") }
        do {
            let bytes = try directory.read(name)
            saved[place] = name
            return bytes
        } catch {
            guard error.isMissing else { throw StoreError(error, "open") }
            throw StoreError(.corrupt, "open", "the file of a value is missing", path: error.path, underlying: error)
        }
    }

    /// The store's file is another one now, and names the values that were read with it.
    func adopt(_ other: ExternalValues) { saved = other.saved }

    /// Says that the value of a place is another one from now on.
    func change(_ place: Place) { changed.insert(place) }

    /// Begins the file under way anew, with no value named yet; files that were written for it go.
    func restart() {
        try? directory?.remove(written)
        written = []
        next = [:]
    }

    /// The file under way took the place of the store's: the files that it does not name go.
    func commit() {
        let kept = Set(next.values)
        let dropped = saved.values.filter { !kept.contains($0) }
        saved = next
        next = [:]
        written = []
        changed = []
        // A file that stays behind is named by nobody and does no harm.
        try? directory?.remove(dropped)
    }

    /// The file under way is given up.
    func rollback() {
        restart()
        changed = []
    }

    /// Nobody knows whether the file under way is in place: all files stay.
    func abandon() {
        next = [:]
        written = []
        changed = []
    }
}
