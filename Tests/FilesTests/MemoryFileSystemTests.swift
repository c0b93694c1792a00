import StrataFiles
import StrataFilesTesting
import StrataPlatform
import Testing

@Suite("The file system in memory")
struct MemoryFileSystemTests {
    @Test("It answers as the operating system does, call by call")
    func agreesWithPosix() throws {
        let scratch = try ScratchDirectory()
        let disk = MemoryFileSystem(directories: ["/d"])
        func answers(_ files: any FileSystem, _ root: String) -> [String] {
            var log: [String] = []
            func note<T>(_ label: String, _ body: () throws -> T) {
                do { log.append("\(label): \(try body())") } catch let error as FileError {
                    log.append("\(label): \(error.operation) \(error.code)")
                } catch { log.append("\(label): \(error)") }
            }
            note("missing") { try files.contents(of: root + "/a") }
            note("create") { try files.put([1, 2, 3], at: root + "/a") }
            note("read") { try files.contents(of: root + "/a") }
            note("exclusive") { try files.open(root + "/a", .createExclusive(permissions: 0o600)).path == "" }
            note("hole") {
                let file = try files.open(root + "/a", .readWrite)
                try file.write([9], at: 6)
                try file.truncate(to: 9)
                try file.truncate(to: 8)
                return try file.status().size
            }
            note("read hole") { try files.contents(of: root + "/a") }
            note("write to a reader") { try files.open(root + "/a", .read).write([1], at: 0) }
            note("after close") {
                let file = try files.open(root + "/a", .read)
                try file.close()
                try file.synchronize()
            }
            note("negative offset") { try files.open(root + "/a", .readWrite).write([1], at: -1) }
            note("negative size") { try files.open(root + "/a", .readWrite).truncate(to: -1) }
            note("file as directory") { try files.contents(of: root + "/a/b") }
            note("directory opened to write") { try files.open(root, .readWrite).path == "" }
            note("file opened as directory") { try files.open(root + "/a", .directory).path == "" }
            note("long name") { try files.put([], at: root + "/" + String(repeating: "x", count: 256)) }
            note("empty path") { try files.contents(of: "") }
            note("mkdir") { try files.makeDirectory(root + "/s", permissions: 0o755) }
            note("mkdir again") { try files.makeDirectory(root + "/s", permissions: 0o755) }
            note("mkdir without parent") { try files.makeDirectory(root + "/p/q", permissions: 0o755) }
            note("mkdir with parents") { try files.makeDirectories(root + "/p/q/r") }
            note("directories over a file") { try files.makeDirectories(root + "/a") }
            note("rename over") { try files.rename(root + "/a", to: root + "/s/../p/q/b") }
            note("rename missing") { try files.rename(root + "/a", to: root + "/b") }
            note("rename file over directory") { try files.rename(root + "/p/q/b", to: root + "/s") }
            note("rename directory over full") { try files.rename(root + "/s", to: root + "/p") }
            note("rename directory over empty") { try files.rename(root + "/s", to: root + "/p/q/r") }
            note("rmdir full") { try files.removeDirectory(root + "/p") }
            note("rmdir file") { try files.removeDirectory(root + "/p/q/b") }
            note("unlink directory") { try files.unlink(root + "/p") }
            note("list") { try files.names(inDirectory: root + "/p/q") }
            note("list file") { try files.names(inDirectory: root + "/p/q/b") }
            note("list missing") { try files.names(inDirectory: root + "/zz") }
            note("kind") { try [files.status(of: root + "/p").kind, files.status(of: root + "/p/q/b").kind] }
            note("link of file") { try files.linkDestination(of: root + "/p/q/b") ?? "none" }
            note("remove tree") { try files.removeTree(root + "/p") }
            note("remove nothing") { try files.removeTree(root + "/p") }
            note("list at the end") { try files.names(inDirectory: root) }
            return log
        }
        let real = answers(PosixFileSystem.shared, scratch.path)
        let simulated = answers(disk, "/d")
        #expect(real.count == simulated.count)
        for (one, other) in zip(real, simulated) { #expect(one == other) }
    }

    @Test("Links are followed in the middle of a path and at its end, but not removed through")
    func links() throws {
        let disk = MemoryFileSystem(directories: ["/d/real"])
        try disk.put([1], at: "/d/real/a")
        try disk.makeLink("/d/dir", to: "real")
        try disk.makeLink("/d/file", to: "/d/dir/a")
        #expect(try disk.contents(of: "/d/file") == [1])
        #expect(try disk.resolvingLinks("/d/file") == "/d/dir/a")
        #expect(try disk.status(of: "/d/file", followingLinks: false).kind == .symbolicLink)
        try disk.removeTree("/d/dir")
        #expect(disk.files == ["/d/file", "/d/real/a"])
    }

    @Test("Removing a tree on a real disk removes links, not their destinations")
    func removalStopsAtLinks() throws {
        let scratch = try ScratchDirectory()
        let files = PosixFileSystem.shared
        try files.makeDirectories(scratch.file("keep"))
        try files.put([1], at: scratch.file("keep/a"))
        try files.makeDirectories(scratch.file("tree/sub"))
        symlink(scratch.file("keep"), scratch.file("tree/sub/link"))
        try files.removeTree(scratch.file("tree"))
        #expect(try scratch.names() == ["keep"])
        #expect(files.exists(scratch.file("keep/a")))
    }

    @Test("A power loss reverts what was not synchronized: content, names, removals and renames")
    func strictness() throws {
        let disk = MemoryFileSystem(directories: ["/d"])
        try disk.put([1], at: "/d/a")
        #expect(disk.crashClone().files == [])
        #expect(disk.crashClone(keepingUnsynced: 1).files == ["/d/a"])
        try disk.synchronizeDirectory("/d")
        try disk.open("/d/a", .readWrite).write([2, 2], at: 0)
        #expect(try disk.crashClone().contents(of: "/d/a") == [1])
        #expect(try disk.crashClone(keepingUnsynced: 1).contents(of: "/d/a") == [2, 2])
        try disk.rename("/d/a", to: "/d/b")
        #expect(disk.crashClone().files == ["/d/a"])
        #expect(disk.crashClone(keepingUnsynced: 1).files == ["/d/b"])
        try disk.synchronizeDirectory("/d")
        try disk.unlink("/d/b")
        #expect(disk.crashClone().files == ["/d/b"])
        try disk.synchronizeDirectory("/d")
        #expect(disk.crashClone().files == [])
    }

    @Test("Between nothing and everything a file is torn at sectors, and the same seed tears it the same way")
    func tearing() throws {
        let old = sample(5_120, seed: 1), new = sample(8_000, seed: 2)
        let disk = try memory(holding: old)
        try disk.open("/d/live", .readWrite).write(new, at: 0)
        var outcomes = Set<[UInt8]>()
        for seed in 0..<50 {
            let content = try disk.crashClone(keepingUnsynced: 0.5, seed: UInt64(seed)).contents(of: "/d/live")
            #expect(try disk.crashClone(keepingUnsynced: 0.5, seed: UInt64(seed)).contents(of: "/d/live") == content)
            #expect(content.count == old.count || content.count == new.count)
            for start in stride(from: 0, to: content.count, by: 512) {
                let sector = content[start..<min(start + 512, content.count)]
                let range = sector.indices
                let isOld = range.allSatisfy { sector[$0] == ($0 < old.count ? old[$0] : 0) }
                #expect(isOld || sector == new[range], "seed \(seed), sector \(start / 512)")
            }
            outcomes.insert(content)
        }
        #expect(outcomes.count > 40)
    }

    @Test("A rename survives a power loss whole or not at all")
    func renameIsAtomic() throws {
        let disk = try memory(holding: [1])
        try disk.put([2], at: "/d/other")
        try disk.synchronizeDirectory("/d")
        try disk.rename("/d/other", to: "/d/live")
        var outcomes = Set<[String]>()
        for seed in 0..<30 {
            let survivor = disk.crashClone(keepingUnsynced: 0.5, seed: UInt64(seed))
            outcomes.insert(survivor.files)
            #expect(try survivor.contents(of: "/d/live") == (survivor.files.count == 1 ? [2] : [1]))
        }
        #expect(outcomes == [["/d/live"], ["/d/live", "/d/other"]])
    }
}

@Suite("Errors and paths")
struct FileErrorTests {
    @Test("Codes sort into kinds, and the description names operation, path and reason")
    func kinds() {
        func error(_ code: Int32) -> FileError { FileError(.write, path: "/x/y", code: code) }
        #expect([ENOSPC, EDQUOT, EFBIG].allSatisfy { error($0).isFull })
        #expect([EACCES, EPERM, EROFS].allSatisfy { error($0).isDenied })
        #expect(error(ENOENT).isMissing)
        #expect(!error(ENOENT).isFull)
        #expect(!error(EIO).isDenied)
        #expect(error(ENOSPC).description.contains("write /x/y: No space left on device"))
        #expect(!error(99_999).message.isEmpty)
    }

    @Test("A real write past the process's permission fails typed, with path and operation")
    func realFailures() throws {
        let files = PosixFileSystem.shared
        let error = #expect(throws: FileError.self) { try files.open("/proc/version", .create(permissions: 0o600)).write([1], at: 0) }
        #expect(error?.path == "/proc/version")
        let sparse = try ScratchDirectory()
        try files.open(sparse.file("huge"), .create(permissions: 0o600)).truncate(to: 1 << 42)
        #expect(throws: FileError(.read, path: sparse.file("huge"), code: EOVERFLOW)) { try files.contents(of: sparse.file("huge")) }
        let full = try PosixFileSystem.shared.open("/dev/full", .readWrite)
        let noSpace = #expect(throws: FileError.self) { try full.write([1], at: 0) }
        #expect(noSpace?.isFull == true)
        #expect(noSpace?.operation == .write)
        #expect(noSpace?.path == "/dev/full")
    }
}
