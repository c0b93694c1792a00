import StrataEngine
import StrataFiles
import StrataStore

/// The files of external values that a transaction writes and those that it leaves without a name.
final class ExternalChanges {
    let directory: ExternalDataDirectory
    private let threshold: Int
    private var written: [String] = []
    private var dropped: [String] = []

    init(_ directory: ExternalDataDirectory, threshold: Int) {
        self.directory = directory
        self.threshold = threshold
    }

    /// What the column of a value holds: the value behind a tag, or the tagged name of the file that holds it.
    func content(of bytes: UnsafeRawBufferPointer) throws -> [UInt8] {
        guard ExternalStorage.takesFile(byteCount: bytes.count, threshold: threshold) else { return [ExternalTag.inlineByte] + bytes }
        do {
            let name = try directory.write(bytes)
            written.append(name)
            return ExternalTag.name(name)
        } catch { throw StoreError(error, .save) }
    }

    /// Notes that a column's content goes.
    func drop(_ content: UnsafeRawBufferPointer) {
        if case .file(let name) = ExternalTag(content), ExternalDataDirectory.isName(name) { dropped.append(name) }
    }

    /// After the commit: has the files removed that nothing names, once nobody reads an older state.
    func commit(_ collector: ExternalCollector, _ connection: Connection) { collector.collect(dropped, after: connection) }

    /// After a rollback: removes the files that were written.
    func rollback() { try? directory.remove(written) }
}
