import StrataEngine
import StrataModel
import StrataPlatform
import StrataStore
import StrataTestSupport
import Testing

/// Each message of a file that is no XML store, or that contradicts itself.
@Suite("Messages of hostile files") struct HostileMessageTests {
    private static func error(_ text: String) throws -> StoreError? {
        let scratch = try ScratchFile()
        try scratch.put(text)
        return try storeError { _ = try format.load(scratch.path, try AtomicModels.shapes.get()) }
    }

    @Test(
        "A file that contradicts itself is refused with the reason",
        arguments: [
            ("another root", "the file is XML but no store"), ("text between objects", "there is text where none belongs"),
            ("an object before the information", "the element databaseInfo does not belong where it stands"),
            ("another id", "1 is no id of an object"), ("a repeated id of another program", "duplicate key: two objects have the id a"),
            ("a dangling id of another program", "a names b, which does not exist"),
            ("no information", "the file is truncated"), ("a newer version", "the format is of version 134481921"),
            ("an unknown entity", "the model has no entity that is called NOBODY in the file"),
            ("an unknown attribute", "the entity has no such property in the model"),
            ("an abstract entity", "there is an object of an abstract entity"),
            ("a repeated id", "duplicate key: two objects have the id z1"), ("a repeated attribute", "z1 has it twice"),
            ("a dangling id", "z1 names z7, which does not exist"), ("a destination of another entity", "z1 names z1, which is no Pet"),
            ("two destinations", "z1 has several destinations"), ("id 0", "z0 is no id of an object"),
            ("a flag that is none", "z1 has a malformed value: 2"),
            ("two owners of what belongs to one", "z3 belongs to z1 and z2: without an inverse it can belong to one of them only"),
        ])
    func reasons(_ name: String, _ message: String) throws {
        let (_, text, code) = try #require(HostileFiles.all.first { $0.0 == name })
        let error = try Self.error(text)
        #expect(error?.message == message)
        #expect(error?.code == code)
    }

    @Test("A file without memory for a parser is refused with the reason") func memory() async {
        await #expect(processExitsWith: .success) {
            // The library is ready from then on.
            _ = try Self.error(Document.text(""))
            typealias Allocate = @convention(c) (Int) -> UnsafeMutableRawPointer?
            typealias Resize = @convention(c) (UnsafeMutableRawPointer?, Int) -> UnsafeMutableRawPointer?
            typealias Copy = @convention(c) (UnsafePointer<CChar>?) -> UnsafeMutablePointer<CChar>?
            typealias SetUp = @convention(c) (@convention(c) (UnsafeMutableRawPointer?) -> Void, Allocate, Resize, Copy) -> Int32
            let setUp = unsafeBitCast(try #require(dlsym(nil, "xmlMemSetup")), to: SetUp.self)
            #expect(setUp({ free($0) }, { _ in nil }, { _, _ in nil }, { _ in nil }) == 0)
            let error = try Self.error(Document.text(""))
            #expect(error?.message == "there is no memory for a parser")
            #expect(error?.code == .tooLarge)
        }
    }

    @Test(
        "An object that lacks a part is refused with the part",
        arguments: [
            ("<object id=\"z1\"></object>", "an object has no type or no id"),
            ("<object type=\"PERSON\" id=\"z1\"><attribute type=\"string\">x</attribute></object>", "a property has no name"),
            ("<object type=\"PERSON\" id=\"z1\"><attribute name=\"name\">x</attribute></object>", "an attribute has no type"),
        ])
    func parts(_ objects: String, _ message: String) throws { #expect(try Self.error(Document.text(objects))?.message == message) }

    @Test(
        "Information that is malformed is refused with the element",
        arguments: [
            ("<UUID>A</UUID>", "<UUID>\\u3dd8</UUID>", "the UUID is no text"),
            ("<nextObjectID>1<", "<nextObjectID>one<", "nextObjectID is no number"),
            ("<UUID>A</UUID>", "<owner>A</owner>", "databaseInfo holds an unknown element owner"),
            ("<UUID>A</UUID>", "", "the metadata are malformed"),
            (
                "<metadata></metadata>", "<metadata><plist><dict><key>a</key><integer>one</integer></dict></plist></metadata>",
                "malformed metadata: integer"
            ),
            (
                "<metadata></metadata>",
                "<metadata><plist><dict><key>NSStoreModelVersionHashes</key><string>x</string></dict></plist></metadata>",
                "the version hashes in the metadata are malformed"
            ),
            (
                "<metadata></metadata>",
                """
                <metadata><plist><dict><key>NSStoreModelVersionHashes</key><dict><key>Person</key><integer>1</integer></dict></dict></plist>\
                </metadata>
                """,
                "the version hashes in the metadata are malformed"
            ),
        ])
    func information(_ part: String, _ other: String, _ message: String) throws {
        #expect(try Self.error(Document.text("").replacing(part, with: other))?.message == message)
    }

    @Test("A model without entities is refused")
    func emptyModel() throws {
        let scratch = try ScratchFile()
        try scratch.put(Document.text(""))
        let error = try storeError { _ = try format.load(scratch.path, try ManagedObjectModel(entities: [])) }
        #expect(error?.message == "the model has no entities")
    }

    @Test("Rows that no file can hold are refused with the reason")
    func unwritable() throws {
        let model = try AtomicModels.shapes.get()
        func message(_ fill: (inout ContentsBuilder) throws -> Void) throws -> String? {
            var builder = format.builder(model)
            try fill(&builder)
            let contents = builder.contents
            return try storeError { _ = try format.saved(contents, model) }?.message
        }
        let twice = try message {
            try $0.add("Person", 1)
            try $0.add("Person", 1)
        }
        #expect(twice == "duplicate key: two objects have the number 1")
        let large = try message {
            for entity in ["Person", "Club"] { try $0.add(entity, 5_000_000_000_000_000_000) }
        }
        #expect(large == "too many references were given out")
        let bytes = try message {
            let person = try #require(model.entity(named: "Person"))
            var writer = RowWriter()
            writer.begin(person, reference: 1, version: 1)
            [UInt8]([0xFF]).withUnsafeBytes { writer.set(bytes: $0, at: person.attribute(named: "name")?.slot ?? 0) }
            $0.contents.rows[person.root] = [writer.finish()]
        }
        #expect(bytes == "a text of z1 is no UTF-8")
    }
}
