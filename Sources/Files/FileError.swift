import StrataPlatform

/// A file-system call, as errors name it and traces record it.
public enum FileOperation: String, Sendable, Hashable, CaseIterable {
    /// A call about an open file.
    case open, close, read, write, truncate, synchronize, synchronizeDirectory, status, setPermissions, setOwner
    /// A call on names and directories, or on a whole file.
    case rename, unlink, readLink, list, makeDirectory, removeDirectory, map, lock
}

/// A file-system call that failed: which one, on which path, and the system's error code.
public struct FileError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The call that failed.
    public let operation: FileOperation
    /// The path that the call was about.
    public let path: String
    /// The system's error code (`errno`).
    public let code: Int32
    /// Whether the file at ``path`` may hold either its old or its new content.
    ///
    /// Set where a replacement failed after its rename. A holder of the open file must reopen it before trusting it.
    public let stateIsUnknown: Bool

    /// Describes a failed call; `code` is an `errno` value.
    public init(_ operation: FileOperation, path: String, code: Int32, stateIsUnknown: Bool = false) {
        self.operation = operation
        self.path = path
        self.code = code
        self.stateIsUnknown = stateIsUnknown
    }

    /// The system's text for ``code``.
    public var message: String {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { text in
            guard let start = text.baseAddress, unsafe strerror_r(code, start, text.count) == 0 else { return "error \(code)" }
            return unsafe String(cString: start)
        }
    }

    /// Whether the disk or the quota is full, or the file reached its size limit.
    public var isFull: Bool { code == ENOSPC || code == EDQUOT || code == EFBIG }
    /// Whether there is no file at the path.
    public var isMissing: Bool { code == ENOENT || code == ENOTDIR }
    /// Something is at the path already.
    public var isExisting: Bool { code == EEXIST || code == ENOTEMPTY }
    /// Permissions or a read-only file system forbid the call.
    public var isDenied: Bool { code == EACCES || code == EPERM || code == EROFS }
    /// The process or the system ran out of descriptors or memory; a later attempt may succeed.
    public var isExhausted: Bool { code == EMFILE || code == ENFILE || code == ENOMEM }
    /// The content of a file is not what was written.
    public var isDamage: Bool { code == EBADMSG }
    /// The path is not that of a regular file, or the file's size exceeds a limit.
    public var isNoFile: Bool { code == EINVAL || code == EISDIR || code == ELOOP || code == EOVERFLOW }
    /// The symbolic links at the path form a loop.
    public var isLoop: Bool { code == ELOOP }
    /// A file is where a directory was to be made.
    public var isInTheWay: Bool { operation == .makeDirectory && code == ENOTDIR }
    /// A lock was not granted in time.
    public var isTimeout: Bool { code == ETIMEDOUT }
    /// A file or directory could not be forced to disk.
    ///
    /// The system may have dropped the data, so repeating the call proves nothing.
    public var isSynchronizationFailure: Bool { operation == .synchronize || operation == .synchronizeDirectory }

    /// The code that Cocoa gives this failure in its error domain: of reading, or of writing.
    public var cocoaCode: Int {
        let isReading =
            switch operation {
            case .open, .close, .read, .status, .readLink, .list, .map, .lock: true
            default: false
            }
        if isFull { return 640 }
        if code == EROFS { return 642 }
        if isMissing { return isReading ? 260 : 4 }
        if isDenied { return isReading ? 257 : 513 }
        if isExisting { return 516 }
        return isReading ? 256 : 512
    }

    /// The operation, the path and the system's text on one line.
    public var description: String {
        "\(operation.rawValue) \(path): \(message) (\(code))" + (stateIsUnknown ? "; old or new content" : "")
    }

    /// The same failure, with the state of the file known.
    public var withKnownState: FileError { FileError(operation, path: path, code: code) }

    /// Returns the same failure, with the state of the file unknown.
    public func withUnknownState(of path: String) -> FileError {
        FileError(operation, path: path, code: code, stateIsUnknown: true)
    }
}
