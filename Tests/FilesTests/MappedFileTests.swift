import StrataFiles
import StrataFilesTesting
import StrataPlatform
import Testing

@Suite("Mapped files")
struct MappedFileTests {
    @Test("A mapping shows the whole file, an empty file an empty buffer, on disk and in memory", arguments: [0, 1, 4096, 100_001])
    func content(count: Int) throws {
        let scratch = try ScratchDirectory()
        let bytes = sample(count)
        for (files, path) in [(PosixFileSystem.shared as any FileSystem, scratch.file("a")), (MemoryFileSystem(), "/a")] {
            try files.put(bytes, at: path)
            let mapped = try MappedFile.map(path, fileSystem: files)
            #expect(mapped.withBytes { $0.elementsEqual(bytes) })
            #expect(mapped.bytes.count == count)
            #expect(try MappedFile.read(path, fileSystem: files).elementsEqual(bytes))
        }
    }

    @Test("A mapping outlives the replacement of its file")
    func replacement() throws {
        let scratch = try ScratchDirectory()
        let path = scratch.file("a")
        try PosixFileSystem.shared.put(sample(10_000), at: path)
        let mapped = try MappedFile.map(path)
        try AtomicReplacement.prepare(path: path) { try $0.write([1]) }.commit()
        #expect(mapped.withBytes { $0.elementsEqual(sample(10_000)) })
        #expect(try MappedFile.read(path) == [1])
    }

    @Test("A missing file and a directory are typed errors")
    func errors() throws {
        let scratch = try ScratchDirectory()
        for (path, code) in [(scratch.file("none"), ENOENT), (scratch.path, EISDIR)] {
            for attempt in [{ _ = try MappedFile.map(path) }, { _ = try MappedFile.read(path) }] {
                let error = #expect(throws: FileError.self) { try attempt() }
                #expect(error?.code == code)
                #expect(error?.path == path)
            }
        }
    }
}
