/// The identity of a file, whatever path references it: its device and its inode.
public struct FileIdentity: Hashable, Sendable {
    /// The device that holds the file.
    public let device: UInt64
    /// The file's number on its device.
    public let inode: UInt64

    /// Creates the file with a number on a device.
    public init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }
}

extension FileStatus {
    /// Which file it is.
    public var identity: FileIdentity { FileIdentity(device: device, inode: inode) }
}
