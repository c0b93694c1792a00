import Glibc
import StrataFiles
import Testing

@Suite("External data")
struct ExternalDataDirectoryTests {
    let scratch: ScratchDirectory
    let directory: ExternalDataDirectory
    let files = PosixFileSystem.shared

    init() throws {
        scratch = try ScratchDirectory()
        directory = ExternalDataDirectory(storePath: scratch.file("Notes.sqlite"))
    }

    @Test("The directory is where Core Data puts it")
    func place() {
        #expect(directory.path == scratch.file(".Notes_SUPPORT/_EXTERNAL_DATA"))
        #expect(ExternalDataDirectory(storePath: "a.b/x.y.store").path == "a.b/.x.y_SUPPORT/_EXTERNAL_DATA")
        #expect(ExternalDataDirectory(storePath: "plain").path == ".plain_SUPPORT/_EXTERNAL_DATA")
        #expect(ExternalDataDirectory(storePath: "/.hidden").path == "/..hidden_SUPPORT/_EXTERNAL_DATA")
    }

    @Test("What is written can be read, mapped, listed and removed, under upper-case UUIDs")
    func roundTrip() throws {
        #expect(try directory.names() == [])
        #expect(try scratch.names() == [])
        let first = try directory.write(sample(10_000)), second = try directory.write([])
        #expect(ExternalDataDirectory.isName(first) && first == first.uppercased())
        #expect(try directory.names() == [first, second].sorted())
        #expect(try directory.read(first).elementsEqual(sample(10_000)))
        #expect(try directory.map(first).withBytes { $0.elementsEqual(sample(10_000)) })
        #expect(try directory.read(second) == [])
        try directory.remove([first, first])
        #expect(try directory.names() == [second])
        let error = #expect(throws: FileError.self) { try directory.read(first) }
        #expect(error?.isMissing == true)
    }

    @Test(
        "A name that is not a UUID reaches no file",
        arguments: [
            "", ".", "..", "../../secret", "/etc/passwd", "../Notes.sqlite", "F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6/../x",
            "F81D4FAE-7DEC-11D0-A765-00A0C91E6BF", "F81D4FAE-7DEC-11D0-A765-00A0C91E6BFG", "../../../../../../../../etc/passwd-aa",
            "F81D4FAE-7DEC-11D0-A765-00A0C91E6BF\0", "{F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6}", "F81D4FAE/7DEC-11D0-A765-00A0C91E6BF6",
        ])
    func hostileNames(name: String) throws {
        let kept = try directory.write([1])
        try files.put([9], at: scratch.file("secret"))
        for attempt in [{ _ = try directory.read(name) }, { _ = try directory.map(name) }, { try directory.remove([kept, name]) }] {
            let error = #expect(throws: FileError.self) { try attempt() }
            #expect(error?.code == EINVAL)
        }
        #expect(try directory.names() == [kept])
        #expect(files.exists(scratch.file("secret")))
    }

    @Test("The values of a private store are private, copies included")
    func permissions() throws {
        try files.put([1], at: scratch.file("Notes.sqlite"))
        try files.open(scratch.file("Notes.sqlite"), .readWrite).setPermissions(0o600)
        let name = try directory.write([1])
        let copy = ExternalDataDirectory(storePath: scratch.file("Copy.store"))
        try directory.copy(to: copy)
        for place in [directory, copy] { #expect(try files.status(of: place.path + "/" + name).permissions == 0o600) }
    }

    @Test("Removing all takes the directory, but not what others keep beside it")
    func removeAll() throws {
        _ = try directory.write([1])
        try directory.removeAll()
        #expect(try scratch.names() == [])
        try directory.removeAll()
        let again = try directory.write([2])
        #expect(try directory.read(again) == [2])
        try files.put([3], at: scratch.file(".Notes_SUPPORT/other"))
        try directory.removeAll()
        #expect(try files.names(inDirectory: scratch.file(".Notes_SUPPORT")) == ["other"])
    }

    @Test("Copying keeps both; foreign files are left out")
    func copying() throws {
        let names = try [directory.write(sample(700_000)), directory.write([2])]
        try files.put([9], at: directory.path + "/README")
        let copy = ExternalDataDirectory(storePath: scratch.file("Copy.store"))
        try directory.copy(to: copy)
        try directory.copy(to: copy)
        try directory.copy(to: directory)
        #expect(try copy.names() == names.sorted())
        #expect(files.file(copy.path + "/" + names[0], is: sample(700_000)))
        #expect(try directory.names() == names.sorted())
        #expect(try files.names(inDirectory: copy.path) == names.sorted())
    }

    @Test("Moving empties the source, also between file systems")
    func moving() throws {
        let name = try directory.write([1])
        let near = ExternalDataDirectory(storePath: scratch.file("Near.store"))
        try directory.move(to: near)
        try near.move(to: near)
        #expect(try near.read(name) == [1])
        #expect(!files.exists(scratch.file(".Notes_SUPPORT")))

        let disk = MemoryFileSystem(directories: ["/d", "/e"])
        let apart = FaultInjectingFileSystem(
            base: disk, plan: FaultPlan(failing: 1, with: .error(EXDEV), operations: [.rename]))
        let source = ExternalDataDirectory(storePath: "/d/s", fileSystem: apart)
        let target = ExternalDataDirectory(storePath: "/e/s", fileSystem: apart)
        let other = try source.write([5])
        try source.move(to: target)
        #expect(disk.files == ["/e/.s_SUPPORT/_EXTERNAL_DATA/" + other])
        #expect(try target.read(other) == [5])
    }

    @Test("Moving and copying nothing makes nothing")
    func nothing() throws {
        try directory.copy(to: ExternalDataDirectory(storePath: scratch.file("A")))
        try directory.move(to: ExternalDataDirectory(storePath: scratch.file("B")))
        #expect(try scratch.names() == [])
    }
}
