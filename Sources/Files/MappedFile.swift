import StrataPlatform

/// The bytes of a whole file, read-only, in memory until this is released.
///
/// Replace a mapped file instead of truncating it while it is read: reading past its new end is a bus error. Files
/// written with ``AtomicReplacement`` are replaced, so a mapping keeps the old content.
@safe public final class MappedFile: Sendable {
    /// The path that was mapped.
    public let path: String
    /// The content; empty for an empty file. Valid only while this object is referenced; see ``withBytes(_:)``.
    // Immutable, and released by `deinit` only.
    public nonisolated(unsafe) let bytes: UnsafeRawBufferPointer
    private let isMapping: Bool

    /// Runs `body` on the content and keeps this object alive meanwhile.
    ///
    /// - Throws: The error of `body`.
    @inlinable
    public func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime(self) {} }
        return try unsafe body(bytes)
    }

    /// Maps the file at `path`; an empty file gives an empty buffer.
    ///
    /// - Throws: ``FileError`` if it cannot be opened or mapped.
    public static func map(_ path: String, fileSystem: any FileSystem = PosixFileSystem.shared) throws(FileError) -> MappedFile {
        try fileSystem.map(path)
    }

    /// Reads the file at `path` into an array.
    ///
    /// - Throws: ``FileError`` if it cannot be opened or read.
    public static func read(_ path: String, fileSystem: any FileSystem = PosixFileSystem.shared) throws(FileError) -> [UInt8] {
        try fileSystem.contents(of: path)
    }

    /// Holds a copy of `content`, for file systems that cannot map.
    public init(path: String, copying content: [UInt8]) {
        self.path = path
        isMapping = false
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: content.count, alignment: 16)
        unsafe copy.copyBytes(from: content)
        unsafe bytes = UnsafeRawBufferPointer(copy)
    }

    /// Takes ownership of a mapping.
    init(path: String, bytes: UnsafeRawBufferPointer, isMapping: Bool) {
        self.path = path
        unsafe self.bytes = bytes
        self.isMapping = isMapping
    }

    deinit {
        guard isMapping else { return unsafe bytes.deallocate() }
        if let start = unsafe bytes.baseAddress { unsafe munmap(UnsafeMutableRawPointer(mutating: start), bytes.count) }
    }
}
