/// The driver of every store that is one file, read and written whole: a codec makes it one.
///
/// ```swift
/// extension StoreDriver where Self == AtomicStoreDriver<XMLCodec> {
///     public static var xml: Self { AtomicStoreDriver(XMLCodec()) }
/// }
/// ```
/// A save replaces the file as a whole, durably. Beside the file lie `.<name>.lock`, which a writer holds, and
/// `.<name>.users`, which each process with the store open locks.
public struct AtomicStoreDriver<Codec: AtomicCodec>: FileStoreDriver {
    /// The codec of the format.
    public let codec: Codec
    /// The file system of the stores.
    public let fileSystem: any FileSystem

    /// Creates a driver of a format.
    ///
    /// - Parameters:
    ///   - codec: The codec of the format.
    ///   - fileSystem: The file system for writing; the codec reads by path.
    public init(_ codec: Codec, fileSystem: any FileSystem = PosixFileSystem.shared) {
        self.codec = codec
        self.fileSystem = fileSystem
        if let kind = codec.fileKind { FileKind.register(kind) }
    }

    public var type: StoreType { codec.type }
}
