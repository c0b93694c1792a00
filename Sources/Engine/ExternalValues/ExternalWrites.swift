public import StrataFiles
import StrataModel
public import StrataStore

/// The files of external values that a transaction writes, and those that it leaves without a name.
public struct ExternalWrites: Sendable {
    /// Where the files lie.
    public let directory: ExternalDataDirectory
    private let threshold: Int
    /// The files that were written.
    public private(set) var written: [String] = []
    /// The files that nothing names any more once the transaction is committed.
    public private(set) var dropped: [String] = []

    /// Nothing written yet.
    ///
    /// - Parameters:
    ///   - directory: Where the files are written.
    ///   - threshold: The length in bytes from which a value gets a file, see ``ExternalStorage/takesFile(byteCount:threshold:)``.
    public init(_ directory: ExternalDataDirectory, threshold: Int) {
        self.directory = directory
        self.threshold = threshold
    }

    /// Returns whether a value gets a file.
    public func takesFile(byteCount: Int) -> Bool { ExternalStorage.takesFile(byteCount: byteCount, threshold: threshold) }

    /// Writes the file of a value, and answers its name; `nil` where the value is too short for one.
    ///
    /// - Throws: `StoreError` with `full`, `denied`, `io`.
    public mutating func write(_ bytes: UnsafeRawBufferPointer) throws(StoreError) -> String? {
        guard takesFile(byteCount: bytes.count) else { return nil }
        do {
            let name = try unsafe directory.write(bytes)
            written.append(name)
            return name
        } catch { throw StoreError(error, .save) }
    }

    /// Notes that nothing will name a file any more.
    public mutating func drop(_ name: String) { dropped.append(name) }

    /// Returns the same directory as the store of an ID uses it, with nothing written.
    func owned(by storeID: StoreID) -> ExternalWrites { ExternalWrites(directory.owned(by: storeID.rawValue), threshold: threshold) }

    /// Leaves the files where they are: they are named now, or may be.
    mutating func forget() { (written, dropped) = ([], []) }

    /// Removes what was written for a transaction that is given up.
    public mutating func discard() {
        // A file that stays does no harm: nothing names it.
        try? directory.remove(written)
        written = []
    }
}
