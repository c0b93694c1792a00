import StrataEngine

typealias ByteReader = StrataFiles.ByteReader<Int64>
typealias ByteWriter = StrataFiles.ByteWriter<Int64>

extension ByteWriter {
    /// Returns the record with the written bytes and their checksum.
    consuming func record() -> [UInt8] { sealed(as: UInt32.self) }
}

extension ByteReader {
    /// Reads a record, whose bytes must outlive this; throws for a wrong checksum.
    init(record: UnsafeRawBufferPointer) throws(MalformedBytes) { try unsafe self.init(sealed: record, as: UInt32.self) }
}

extension StoreMetadata {
    /// Returns the record of the metadata; throws `tooLarge` if they are nested too deeply.
    func record() throws(StoreError) -> [UInt8] {
        var writer = ByteWriter()
        try MetadataCodec(truth: .asByte).write(self, to: &writer)
        return writer.record()
    }

    init(record: UnsafeRawBufferPointer) throws(MalformedBytes) {
        var reader = try unsafe ByteReader(record: record)
        self = try MetadataCodec(truth: .asByte).read(&reader)
        guard reader.isAtEnd else { throw MalformedBytes() }
    }
}
