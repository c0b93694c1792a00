/// The external value files that a transaction writes and drops.
public struct ExternalWrites: Sendable {
    /// The directory of the store's value files.
    public let directory: ExternalDataDirectory
    private let threshold: Int
    /// The files that the transaction wrote.
    public private(set) var written: [String] = []
    /// The files that no row names after the commit.
    public private(set) var dropped: [String] = []

    /// Creates an empty record.
    ///
    /// - Parameters:
    ///   - directory: The directory of the files.
    ///   - threshold: The length in bytes from which a value gets a file, see
    ///     ``ExternalStorage/takesFile(byteCount:threshold:)``.
    public init(_ directory: ExternalDataDirectory, threshold: Int) {
        self.directory = directory
        self.threshold = threshold
    }

    /// Returns whether a value gets a file.
    public func takesFile(byteCount: Int) -> Bool { ExternalStorage.takesFile(byteCount: byteCount, threshold: threshold) }

    /// Writes the file of a value, and returns its name; `nil` where the value is too short for one.
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

    /// Records that no row will name a file.
    public mutating func drop(_ name: String) { dropped.append(name) }

    /// Returns an empty record for the same directory and a store.
    func owned(by storeID: StoreID) -> ExternalWrites { ExternalWrites(directory.owned(by: storeID.rawValue), threshold: threshold) }

    /// Forgets the files without removing them.
    mutating func forget() { (written, dropped) = ([], []) }

    /// Removes the files of an abandoned transaction.
    public mutating func discard() {
        // A file that stays does no harm.
        try? directory.remove(written)
        written = []
    }
}
