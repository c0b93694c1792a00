import StrataEngine
import StrataFiles
import StrataStore

/// Lengths, counts and all small numbers take eight bytes.
typealias ByteReader = StrataFiles.ByteReader<Int64>
/// Lengths, counts and all small numbers take eight bytes.
typealias ByteWriter = StrataFiles.ByteWriter<Int64>

extension ByteWriter {
    /// The record that holds what was written, with its checksum.
    consuming func record() -> [UInt8] { sealed(as: UInt32.self) }
}

extension ByteReader {
    /// Reads a record, whose bytes must outlive this.
    ///
    /// - Throws: `MalformedBytes` where the checksum is another.
    init(record: UnsafeRawBufferPointer) throws(MalformedBytes) { try unsafe self.init(sealed: record, as: UInt32.self) }
}

extension StoreMetadata {
    /// The record of the metadata.
    ///
    /// - Throws: `StoreError` with `tooLarge` where they nest too deeply.
    func record() throws(StoreError) -> [UInt8] {
        var writer = ByteWriter()
        try MetadataCodec(truth: .asByte).write(self, to: &writer)
        return writer.record()
    }

    /// The metadata that a record holds.
    init(record: UnsafeRawBufferPointer) throws(MalformedBytes) {
        var reader = try unsafe ByteReader(record: record)
        self = try MetadataCodec(truth: .asByte).read(&reader)
        guard reader.isAtEnd else { throw MalformedBytes() }
    }
}
