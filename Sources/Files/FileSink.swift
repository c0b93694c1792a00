/// Where a file's new content is written to, front to back, through a buffer.
///
/// After a failed write every later write throws the same error, and so does the replacement the sink belongs to.
// Safe: it owns the buffer.
@safe public struct FileSink: ~Copyable {
    private let file: any OpenFile
    private let buffer: UnsafeMutableRawBufferPointer
    private var pending = 0
    private var flushed = 0
    private var failure: FileError?
    private var crc: CRC32C?
    private var hashed = 0

    init(_ file: any OpenFile, capacity: Int = 256 << 10) {
        self.file = file
        unsafe buffer = .allocate(byteCount: capacity, alignment: 16)
    }

    deinit { unsafe buffer.deallocate() }

    /// The number of bytes written so far, which is the offset of the next one.
    public var byteCount: Int { flushed + pending }

    /// Appends `bytes`.
    ///
    /// - Throws: ``FileError`` if the buffer was full and the file system refuses it.
    public mutating func write(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
        if let failure { throw failure }
        if unsafe bytes.count > buffer.count - pending {
            try flush()
            if unsafe bytes.count >= buffer.count {
                unsafe crc?.update(with: bytes)
                return try unsafe writeOut(bytes)
            }
        }
        guard let source = bytes.baseAddress, let target = unsafe buffer.baseAddress else { return }
        unsafe (target + pending).copyMemory(from: source, byteCount: bytes.count)
        pending += bytes.count
    }

    /// Appends `bytes`.
    ///
    /// - Throws: ``FileError`` where a full buffer cannot be written.
    public mutating func write(_ bytes: [UInt8]) throws(FileError) {
        try unsafe bytes.withUnsafeBufferPointer { (buffer) throws(FileError) in try unsafe write(UnsafeRawBufferPointer(buffer)) }
    }

    /// Appends the UTF-8 of `text`.
    ///
    /// - Throws: ``FileError`` where a full buffer cannot be written.
    public mutating func write(_ text: String) throws(FileError) {
        var text = text
        var result: FileError?
        text.withUTF8 { utf8 in
            do throws(FileError) { try unsafe write(UnsafeRawBufferPointer(utf8)) } catch { result = error }
        }
        if let result { throw result }
    }

    /// Begins a checksum of what is written from here on.
    public mutating func beginChecksum() {
        crc = CRC32C()
        hashed = pending
    }

    /// Returns the checksum of what was written since ``beginChecksum()``; 0 if that was never called.
    public mutating func checksum() -> UInt32 {
        hashPending()
        return crc?.value ?? 0
    }

    mutating func flush() throws(FileError) {
        if let failure { throw failure }
        guard pending > 0 else { return }
        hashPending()
        try unsafe writeOut(UnsafeRawBufferPointer(rebasing: buffer[..<pending]))
        pending = 0
        hashed = 0
    }

    private mutating func writeOut(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
        do { try unsafe file.write(bytes, at: flushed) } catch {
            failure = error
            throw error
        }
        flushed += bytes.count
    }

    private mutating func hashPending() {
        guard crc != nil, hashed < pending else { return }
        unsafe crc?.update(with: UnsafeRawBufferPointer(rebasing: buffer[hashed..<pending]))
        hashed = pending
    }
}
