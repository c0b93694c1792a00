import StrataFiles
import StrataPlatform
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

    @Test("What is written can be read, listed and removed, under upper-case UUIDs")
    func roundTrip() throws {
        #expect(try directory.names() == [])
        #expect(try scratch.names() == [])
        let first = try directory.write(sample(10_000)), second = try directory.write([])
        #expect(ExternalDataDirectory.isName(first))
        #expect(first == first.uppercased())
        #expect(try directory.names() == [first, second].sorted())
        #expect(try directory.read(first).elementsEqual(sample(10_000)))
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
        for attempt in [{ _ = try directory.read(name) }, { try directory.remove([kept, name]) }] {
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
        try directory.copy([name], to: copy)
        for place in [directory, copy] { #expect(try files.status(of: place.path + "/" + name).permissions == 0o600) }
    }

    @Test("Removing a store takes what it names and what it wrote, and the directory with the last file")
    func removingStore() throws {
        let mine = ExternalDataDirectory(storePath: scratch.file("Notes.sqlite"), storeID: "A")
        let other = ExternalDataDirectory(storePath: scratch.file("Notes.lmdb"), storeID: "A")
        let copy = ExternalDataDirectory(storePath: scratch.file("Notes.sqlite"), storeID: "B")
        let (named, unnamed) = (try copy.write([1]), try mine.write([2]))
        let kept = try other.write([3])
        #expect(try mine.ownedNames() == [unnamed])
        try mine.removeStore(naming: [named, "../Notes.sqlite"])
        #expect(try mine.names() == [kept])
        try other.removeStore(naming: [])
        try other.removeStore(naming: [])
        #expect(try scratch.names() == [])
        _ = try mine.write([4])
        try files.put([3], at: scratch.file(".Notes_SUPPORT/other"))
        try mine.removeStore(naming: [])
        #expect(try files.names(inDirectory: scratch.file(".Notes_SUPPORT")) == ["other"])
    }

    @Test("Copying keeps both; what is not asked for, and what is lost, is left out")
    func copying() throws {
        let names = try [directory.write(sample(700_000)), directory.write([2])]
        let other = try directory.write([3])
        let copy = ExternalDataDirectory(storePath: scratch.file("Copy.store"))
        let lost = "F81D4FAE-7DEC-81D0-A765-00A0C91E6BF6"
        for _ in 0..<2 { try directory.copy(names + [lost], to: copy) }
        try directory.copy(names, to: directory)
        #expect(try copy.names() == names.sorted())
        #expect(files.file(copy.path + "/" + names[0], is: sample(700_000)))
        #expect(try directory.names() == (names + [other]).sorted())
    }

    @Test("Copying nothing makes nothing")
    func nothing() throws {
        try directory.copy([], to: ExternalDataDirectory(storePath: scratch.file("A")))
        #expect(try scratch.names() == [])
    }

    @Test("Every changed bit, every length but the own and every exchange of two files is found")
    func damage() throws {
        let value = sample(301)
        let name = try directory.write(value)
        let other = try directory.write(sample(301, seed: 1))
        func expectDamage(_ content: [UInt8], _ what: String) throws {
            try files.put(content, at: directory.path + "/" + name)
            let error = #expect(throws: FileError.self, "\(what)") { try directory.read(name) }
            #expect(error?.isDamage == true, "\(what)")
        }
        for bit in 0..<(value.count * 8) {
            var changed = value
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            try expectDamage(changed, "bit \(bit)")
        }
        for length in 0..<value.count { try expectDamage(Array(value[..<length]), "length \(length)") }
        for added in 1...9 {
            try expectDamage(value + Array(repeating: 0, count: added), "\(added) zeros more")
            try expectDamage(value + value[..<added], "\(added) more")
        }
        try expectDamage(directory.read(other), "exchanged")
        try files.put(value, at: directory.path + "/" + name)
        #expect(try directory.read(name) == value)
    }

    @Test("A file that Core Data wrote is read as it is: its name says nothing of the content")
    func foreignName() throws {
        _ = try directory.write([1])
        let name = "619F5BBC-799D-44E4-8B9F-49AC950CD416"
        try files.put([1, 2, 3], at: directory.path + "/" + name)
        #expect(try directory.read(name) == [1, 2, 3])
        #expect(try !directory.ownedNames().contains(name))
    }
}
