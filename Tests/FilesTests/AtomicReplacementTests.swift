import StrataFiles
import StrataPlatform
import Testing

@Suite("Replacing a file on a real disk")
struct AtomicReplacementTests {
    let scratch = try? ScratchDirectory()
    let files = PosixFileSystem.shared

    @Test(
        "A new file holds what was written, in order, and nothing else is left in the directory", arguments: [Forcing.everything, .nothing])
    func newFile(forcing: Forcing) throws {
        let scratch = try #require(scratch)
        let path = scratch.file("store.xml")
        let big = sample(700_000)
        let replacement = try AtomicReplacement.prepare(path: path, forcing: forcing) { sink in
            try sink.write("Grüße\n")
            #expect(sink.byteCount == 8)
            try sink.write(big)
            try sink.write([])
            try sink.write([1, 2, 3])
        }
        #expect(replacement.byteCount == 700_011)
        #expect(!files.exists(path))
        try replacement.commit()
        #expect(files.file(path, is: Array("Grüße\n".utf8) + big + [1, 2, 3]))
        #expect(try scratch.names() == ["store.xml"])
    }

    @Test("The sink's checksum covers what was written since it began, across buffer ends")
    func checksum() throws {
        let path = try #require(scratch).file("a")
        let head = sample(1000), small = sample(200_000, seed: 1), big = sample(600_000, seed: 2)
        try AtomicReplacement.prepare(path: path) { sink in
            try sink.write(head)
            #expect(sink.checksum() == 0)
            sink.beginChecksum()
            try sink.write(small)
            #expect(sink.checksum() == CRC32C.checksum(of: small))
            try sink.write(small)
            try sink.write(big)
            try sink.write(head)
            #expect(sink.checksum() == CRC32C.checksum(of: small + small + big + head))
        }.commit()
        #expect(files.file(path, is: head + small + small + big + head))
    }

    @Test("A discarded or forgotten replacement leaves the old content and no other file")
    func discarding() throws {
        let scratch = try #require(scratch)
        let path = scratch.file("a")
        try files.put([1], at: path)
        let discarded = try AtomicReplacement.prepare(path: path) { try $0.write([2]) }
        discarded.discard()
        discarded.discard()
        do { _ = try AtomicReplacement.prepare(path: path) { try $0.write([3]) } }
        #expect(try files.contents(of: path) == [1])
        #expect(try scratch.names() == ["a"])
    }

    @Test("An error thrown by the writer comes through, and nothing is left behind")
    func writerError() throws {
        struct Refusal: Error {}
        let scratch = try #require(scratch)
        #expect(throws: Refusal.self) {
            try AtomicReplacement.prepare(path: scratch.file("a")) { sink in
                try sink.write([1])
                throw Refusal()
            }
        }
        #expect(try scratch.names() == [])
    }

    @Test("The new file keeps the old one's permissions")
    func permissions() throws {
        let path = try #require(scratch).file("a")
        try files.put([1], at: path)
        try files.open(path, .readWrite).setPermissions(0o640)
        try AtomicReplacement.prepare(path: path) { try $0.write([2]) }.commit()
        #expect(try files.status(of: path).permissions == 0o640)
    }

    @Test("Through a chain of symbolic links the real file is replaced and the links stay")
    func symbolicLinks() throws {
        let scratch = try #require(scratch)
        try files.makeDirectories(scratch.file("real"))
        try files.put([1], at: scratch.file("real/store"))
        symlink("real/store", scratch.file("inner"))
        symlink(scratch.file("inner"), scratch.file("outer"))
        try AtomicReplacement.prepare(path: scratch.file("outer")) { try $0.write([2]) }.commit()
        #expect(try files.contents(of: scratch.file("real/store")) == [2])
        #expect(try files.linkDestination(of: scratch.file("inner")) == "real/store")
        #expect(try files.names(inDirectory: scratch.file("real")) == ["store"])
    }

    @Test("A loop of symbolic links, a directory, a missing directory and a NUL are typed errors")
    func impossibleTargets() throws {
        let scratch = try #require(scratch)
        symlink("loop", scratch.file("loop"))
        for (path, code) in [
            (scratch.file("loop"), ELOOP), (scratch.path, EISDIR), (scratch.file("no/a"), ENOENT), (scratch.file("a\0b"), EINVAL),
        ] {
            let error = #expect(throws: FileError.self) { try AtomicReplacement.prepare(path: path) { try $0.write([1]) } }
            #expect(error?.code == code)
        }
        #expect(try scratch.names() == ["loop"])
    }

    @Test("A name of 255 bytes can be replaced, and its leftovers are recognised", arguments: ["x", "é"])
    func longestName(unit: String) throws {
        let scratch = try #require(scratch)
        let name = String(repeating: unit, count: 255 / unit.utf8.count)
        let replacement = try AtomicReplacement.prepare(path: scratch.file(name)) { try $0.write([1]) }
        #expect(try scratch.names().count == 1)
        try replacement.commit()
        #expect(try scratch.names() == [name])
    }

    @Test("Leftovers of ended processes go; those of running ones, of other files, and all else stay")
    func leftovers() throws {
        let scratch = try #require(scratch)
        let live = try AtomicReplacement.prepare(path: scratch.file("s")) { try $0.write([1]) }
        let kept = [".s.1.abc.tmp", ".s.x.abc.tmp", ".s.2147483646.tmp", ".t.2147483646.abc.tmp", ".s.2147483646.a b.tmp", "s"]
        let gone = [".s.2147483646.abc.tmp", ".s.\(getpid()).zzz.tmp"]
        for name in kept + gone { try files.put([9], at: scratch.file(name)) }
        try AtomicReplacement.removeLeftovers(of: scratch.file("s"))
        let liveName = String(live.temporaryPath.dropFirst(scratch.path.count + 1))
        #expect(try scratch.names() == (kept + [liveName]).sorted())
        live.discard()
    }

    @Test("A file of another program can replace a file; where there is none, nothing is replaced")
    func resuming() throws {
        let scratch = try #require(scratch)
        let (path, temporary) = (scratch.file("a"), scratch.file("written elsewhere"))
        try files.put([9], at: path)
        try files.put([1, 2], at: temporary)
        let replacement = try AtomicReplacement.resume(temporaryPath: temporary, path: path)
        #expect(replacement.byteCount == 2)
        #expect(try files.contents(of: path) == [9])
        try replacement.commit()
        #expect(try files.contents(of: path) == [1, 2])
        let missing = #expect(throws: FileError.self) { try AtomicReplacement.resume(temporaryPath: temporary, path: path) }
        #expect(missing?.isMissing == true)
    }

    @Test("Neither success nor failure leaks a descriptor")
    func descriptors() throws {
        let scratch = try #require(scratch)
        // Other tests open files at the same time, so look only at descriptors that lead into this directory.
        func open() throws -> Int {
            try files.names(inDirectory: "/proc/self/fd").filter {
                (try? files.linkDestination(of: "/proc/self/fd/" + $0))??.hasPrefix(scratch.path) == true
            }.count
        }
        let path = scratch.file("a")
        for round in 0..<20 {
            try AtomicReplacement.prepare(path: path) { try $0.write([UInt8(round)]) }.commit()
            _ = try? AtomicReplacement.prepare(path: path) { _ in throw FileError(.write, path: path, code: EIO) }
            _ = try MappedFile.map(path)
            _ = try FileLock.tryLock(path + ".lock")
        }
        #expect(try open() == 0)
        let lock = try FileLock.tryLock(path + ".lock")
        #expect(try open() == 1)
        lock?.unlock()
    }
}
