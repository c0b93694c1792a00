import StrataFiles

/// The values of an atomic store that lie in files of their own beside it.
///
/// A codec asks it for each value of an attribute with external storage. Used by one thread at a time.
public final class ExternalValues {
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

    /// The name of the file that holds a value, written first where it is not there yet.
    ///
    /// - Returns: `nil` when the value belongs in the store's own file: it is short, or the store has no directory for files.
    public func name(of bytes: UnsafeRawBufferPointer, at place: Place) throws -> String? { nil }

    /// The value in a file.
    public func bytes(named name: String, at place: Place) throws -> [UInt8] { [] }
}
