import StrataEngine
import StrataFiles
import StrataModel

/// The files of external values that a transaction writes and those that it leaves without a name.
final class ExternalChanges {
    private var files: ExternalWrites

    init(_ directory: ExternalDataDirectory, threshold: Int) { files = ExternalWrites(directory, threshold: threshold) }

    /// What the column of a value holds: the value behind a tag, or the tagged name of the file that holds it.
    func content(of bytes: UnsafeRawBufferPointer) throws -> [UInt8] {
        guard let name = try unsafe files.write(bytes) else { return unsafe ExternalTag.content(of: bytes) }
        // As Core Data writes it, with a zero at the end.
        return ExternalTag.content(forFile: name) + [0]
    }

    /// The name of the file of a value that could not be read, where this store named it: the file may come back.
    func nameOfLost(_ row: Row, _ slot: Slot) -> String? { ExternalStorage.nameOfLost(row, slot, in: files.directory) }

    /// Notes that a column's content goes.
    func drop(_ content: UnsafeRawBufferPointer) {
        if let name = unsafe ExternalTag.fileName(in: content) { files.drop(name) }
    }

    /// After the commit: has the files removed that nothing names, once nobody reads an older state.
    func commit(_ collector: ExternalCollector, _ connection: Connection) { collector.collect(files.dropped, after: connection) }

    /// After a rollback: removes the files that were written.
    func rollback() { files.discard() }
}
