import StrataPlatform
import Synchronization

/// A file of the operating system.
final class PosixFile: OpenFile {
    let path: String
    private let mode: OpenMode
    private var isDirectory: Bool { mode == .directory }
    private let descriptorOrClosed: Atomic<Int32>
    private let mayBeDatabase = Atomic(false)

    init(descriptor: Int32, path: String, mode: OpenMode) {
        self.path = path
        self.mode = mode
        descriptorOrClosed = Atomic(descriptor)
    }

    deinit { try? close() }

    /// Records that the file is a database, which other code in the process may have open.
    func noteDatabase() { mayBeDatabase.store(true, ordering: .relaxed) }

    /// -1 once closed, for which every call returns `EBADF`.
    private var descriptor: Int32 { descriptorOrClosed.load(ordering: .acquiring) }

    func readOnce(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(FileError) -> Int {
        let count = unsafe pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
        if count < 0 { throw failure(.read) }
        return count
    }

    func writeOnce(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FileError) -> Int {
        let count = unsafe pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(offset))
        if count < 0 { throw failure(.write) }
        return count
    }

    func status() throws(FileError) -> FileStatus {
        var answer = stat()
        if unsafe fstat(descriptor, &answer) != 0 { throw failure(.status) }
        return FileStatus(answer)
    }

    func truncate(to size: Int) throws(FileError) {
        while ftruncate(descriptor, off_t(size)) != 0 {
            if errno != EINTR { throw failure(.truncate) }
        }
    }

    func synchronize() throws(FileError) {
        if fsync(descriptor) == 0 { return }
        let error = failure(isDirectory ? .synchronizeDirectory : .synchronize)
        // Some file systems cannot synchronize a directory, and report it.
        if isDirectory && error.code == EINVAL { return }
        throw error
    }

    func setPermissions(_ permissions: UInt32) throws(FileError) {
        if fchmod(descriptor, permissions) != 0 { throw failure(.setPermissions) }
    }

    func setOwner(user: UInt32, group: UInt32) throws(FileError) {
        if fchown(descriptor, user, group) != 0 { throw failure(.setOwner) }
    }

    func markModified() throws(FileError) {
        // Not UTIME_NOW, which is the clock of the last tick: two changes within one would have the same time.
        var now = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &now)
        if unsafe futimens(descriptor, [now, now]) != 0 { throw failure(.setPermissions) }
    }

    func close() throws(FileError) {
        let descriptor = descriptorOrClosed.exchange(-1, ordering: .acquiringAndReleasing)
        let code = descriptor == -1 ? EBADF : close(descriptor)
        // After EINTR the descriptor is closed nevertheless; a second close could close another one.
        if code != 0 && code != EINTR { throw FileError(.close, path: path, code: code) }
    }

    private func close(_ descriptor: Int32) -> Int32 {
        if isDirectory { return StrataPlatform.close(descriptor) == 0 ? 0 : errno }
        return OpenDatabases.close(descriptor, path, mode, mayBeForeign: mayBeDatabase.load(ordering: .relaxed))
    }

    /// Maps the whole file; the mapping outlives the descriptor.
    func map() throws(FileError) -> MappedFile {
        let status = try status()
        if status.isDirectory { throw FileError(.map, path: path, code: EISDIR) }
        if status.size == 0 { return MappedFile(path: path, copying: []) }
        let start = unsafe mmap(nil, status.size, PROT_READ, MAP_PRIVATE, descriptor, 0)
        guard let start = unsafe start, unsafe start != MAP_FAILED else { throw failure(.map) }
        return unsafe MappedFile(path: path, bytes: UnsafeRawBufferPointer(start: start, count: status.size), isMapping: true)
    }

    /// Takes an open-file-description lock, which only this descriptor's `close` releases; false if it is held.
    func tryLock(_ mode: FileLock.Mode) throws(FileError) -> Bool {
        var request = flock()
        request.l_type = Int16(mode == .exclusive ? F_WRLCK : F_RDLCK)
        request.l_whence = Int16(SEEK_SET)
        // Linux's number for F_OFD_SETLK, which the C library's module hides.
        let setOpenFileDescriptionLock: Int32 = 37
        while unsafe fcntl(descriptor, setOpenFileDescriptionLock, &request) != 0 {
            switch errno {
            case EINTR: continue
            case EAGAIN, EACCES: return false
            default: throw failure(.lock)
            }
        }
        return true
    }

    /// Creates the error from `errno`, so it must follow the call directly.
    private func failure(_ operation: FileOperation) -> FileError {
        FileError(operation, path: path, code: errno)
    }
}
