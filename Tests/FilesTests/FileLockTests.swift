import StrataFilesTesting
import StrataPlatform
import Testing

@testable import StrataFiles

@Suite("Locks")
struct FileLockTests {
    /// The same rules on a real disk and in memory.
    private func everywhere(_ body: (any FileSystem, String) throws -> Void) throws {
        let scratch = try ScratchDirectory()
        try body(PosixFileSystem.shared, scratch.file("lock"))
        try body(MemoryFileSystem(), "/lock")
    }

    @Test("An exclusive lock excludes every other in the same process; shared ones go together")
    func exclusion() throws {
        try everywhere { files, path in
            let alone = try #require(try FileLock.tryLock(path, .exclusive, fileSystem: files))
            #expect(try FileLock.tryLock(path, .exclusive, fileSystem: files) == nil)
            #expect(try FileLock.tryLock(path, .shared, fileSystem: files) == nil)
            alone.unlock()
            let one = try #require(try FileLock.tryLock(path, .shared, fileSystem: files))
            let two = try #require(try FileLock.tryLock(path, .shared, fileSystem: files))
            #expect(try FileLock.tryLock(path, .exclusive, fileSystem: files) == nil)
            one.unlock()
            one.unlock()
            #expect(try FileLock.tryLock(path, .exclusive, fileSystem: files) == nil)
            two.unlock()
            #expect(try FileLock.tryLock(path, .exclusive, fileSystem: files) != nil)
        }
    }

    @Test("A released lock is free, and closing the file elsewhere in the process does not free a held one")
    func release() throws {
        try everywhere { files, path in
            do {
                let held = try #require(try FileLock.tryLock(path, fileSystem: files))
                try files.open(path, .readWrite).close()
                #expect(try FileLock.tryLock(path, fileSystem: files) == nil)
                withExtendedLifetime(held) {}
            }
            #expect(try FileLock.tryLock(path, fileSystem: files) != nil)
        }
    }

    @Test("Waiting for a lock ends with a timeout, or with the lock when its holder lets go")
    func waiting() async throws {
        let scratch = try ScratchDirectory()
        let path = scratch.file("lock")
        let held = try #require(try FileLock.tryLock(path))
        let error = #expect(throws: FileError.self) { try FileLock.lock(path, timeout: .milliseconds(5)) }
        #expect(error?.isTimeout == true)
        #expect(error?.path == path)
        let waiter = Task.detached { try FileLock.lock(path, timeout: .seconds(60)).path }
        held.unlock()
        #expect(try await waiter.value == path)
    }

    @Test("A lock in a missing directory is a typed error")
    func missingDirectory() throws {
        let error = #expect(throws: FileError.self) { try FileLock.tryLock("/nonexistent-directory/lock") }
        #expect(error?.isMissing == true)
    }

    // Two processes could hold the lock at once, where one removed the file before the other locked it: one on either file.
    @Test("A lock whose file was removed before it was locked is taken on the file that is there then", arguments: [true, false])
    func removedFile(isMadeAnew: Bool) throws {
        let scratch = try ScratchDirectory()
        let (files, path) = (PosixFileSystem.shared, scratch.file("lock"))
        var opened = 0
        let lock = try files.tryLock(path, .exclusive) { () throws(FileError) in
            let file = try files.openPosix(path, .create(permissions: 0o666))
            opened += 1
            if opened == 1 {
                try files.unlink(path)
                if isMadeAnew { try files.open(path, .create(permissions: 0o666)).close() }
            }
            return file
        }
        #expect(opened == 2)
        #expect(lock != nil)
        #expect(try files.tryLock(path, .exclusive) == nil)
    }

    // Without a lock file in a directory that may not be written, the second try, to read one, used to report it as missing.
    @Test(
        "A lock that cannot be made in a protected directory is denied, and one that is there is shared",
        .enabled(if: geteuid() != 0, "a privileged process is denied nothing"), arguments: [FileLock.Mode.shared, .exclusive])
    func protectedDirectory(mode: FileLock.Mode) throws {
        let scratch = try ScratchDirectory()
        try PosixFileSystem.shared.put([], at: scratch.file("there"))
        #expect(chmod(scratch.file("there"), 0o444) == 0)
        #expect(chmod(scratch.path, 0o555) == 0)
        defer { chmod(scratch.path, 0o755) }
        let error = #expect(throws: FileError.self) { try FileLock.tryLock(scratch.file("lock"), mode) }
        #expect(error?.isDenied == true)
        if mode == .shared { #expect(try FileLock.tryLock(scratch.file("there"), .shared) != nil) }
    }
}
