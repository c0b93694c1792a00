import Foundation
import StrataFiles
import StrataModel
import StrataStore
import StrataXML
import Testing

@Suite struct RoundTripTests {
    @Test("Values at the bounds of every type come back bit for bit")
    func values() throws {
        let model = try valuesModel.get()
        var builder = ContentsBuilder(model)
        var reference: Int64 = 0
        for (name, values) in BoundaryValues.all {
            for value in values {
                reference += 1
                try builder.add("Thing", reference, [name: value])
            }
        }
        let scratch = try Scratch()
        try save(builder.contents, model, to: scratch.store)
        let loaded = try load(scratch.store, model)
        #expect(dump(loaded, model) == dump(builder.contents, model))
        let first = try scratch.bytes()
        try save(loaded, model, to: scratch.store)
        #expect(try scratch.bytes() == first)
    }

    @Test("Every shape of relationship comes back with its order")
    func relationships() throws {
        var (model, builder) = try shapes()
        try builder.connectShapes()
        let scratch = try Scratch()
        try save(builder.contents, model, to: scratch.store)
        #expect(dump(try load(scratch.store, model), model) == dump(builder.contents, model))
    }

    @Test("Metadata of every kind come back, and unknown keys with them")
    func metadata() throws {
        let model = try valuesModel.get()
        var builder = ContentsBuilder(model)
        builder.contents.metadata.userInfo["all"] = .dictionary([
            "bool": .array([.bool(true), .bool(false)]), "int": .int(.min), "double": .double(0.1), "empty": .dictionary([:]),
            "none": .array([]), "text": .string("<&> \\u3c00 \r\n\t \u{1} \u{FFFE} ]]> \"é\""), "": .string(""),
            "date": .date(Date(timeIntervalSinceReferenceDate: 1000)), "fine": .date(Date(timeIntervalSinceReferenceDate: 0.125)),
            "data": .data(Data((0..<200).map { UInt8($0) })), "no data": .data(Data()),
        ])
        builder.contents.metadata.userInfo["NSPersistenceFrameworkVersion"] = .int(1344)
        let scratch = try Scratch()
        try save(builder.contents, model, to: scratch.store)
        #expect(try load(scratch.store, model).metadata == builder.contents.metadata)
        #expect(try XMLCodec().metadata(scratch.store) == builder.contents.metadata)
    }

    @Test("Metadata are replaced without a model, and everything else stays")
    func rewriting() throws {
        var (model, builder) = try shapes()
        try builder.connectShapes()
        let scratch = try Scratch()
        try save(builder.contents, model, to: scratch.store)
        builder.contents.metadata.userInfo["new"] = .string("value")
        try AtomicReplacement.prepare(path: scratch.store, durability: .relaxed) { sink in
            try XMLCodec().rewrite(scratch.store, metadata: builder.contents.metadata, to: &sink)
        }.commit()
        #expect(dump(try load(scratch.store, model), model) == dump(builder.contents, model))
        let rewritten = try scratch.bytes()
        try save(builder.contents, model, to: scratch.store)
        #expect(try scratch.bytes() == rewritten)
    }

    @Test("Names that differ in case only, or hold markup, are told apart")
    func names() throws {
        let model = try ManagedObjectModel {
            Entity("note") {
                Attribute("name", .string)
                Attribute("Name", .string)
                Attribute("a<b>&\"'\tc\n\\u3c00", .string)
                Relationship("x\"> <y", to: "Note")
                Attribute("ÄÖß", .string)
            }
            Entity("Note") { Attribute("text", .string) }
            Entity("\"; DROP TABLE <x>&amp;") { Attribute("]]>", .string) }
        }
        var builder = ContentsBuilder(model)
        try builder.add(
            "note", 1, ["name": "lower", "Name": "upper", "a<b>&\"'\tc\n\\u3c00": "markup", "ÄÖß": "letters"],
            toOne: ["x\"> <y": ("Note", 2, 0)])
        try builder.add("Note", 2, ["text": "other"])
        try builder.add("\"; DROP TABLE <x>&amp;", 3, ["]]>": "]]>"])
        let scratch = try Scratch()
        try save(builder.contents, model, to: scratch.store)
        #expect(dump(try load(scratch.store, model), model) == dump(builder.contents, model))
    }

    @Test("Large values lie in files of their own and come back")
    func externalValues() throws {
        let model = try valuesModel.get()
        let scratch = try Scratch()
        let directory = ExternalDataDirectory(storePath: scratch.store)
        var builder = ContentsBuilder(model)
        let large = Data((0..<5000).map { UInt8(truncatingIfNeeded: $0 * 7) })
        try builder.add("Thing", 1, ["bytes": .data(large), "text": "beside"])
        try builder.add("Thing", 2, ["bytes": .data(Data([1, 2, 3]))])
        try save(builder.contents, model, to: scratch.store, ExternalValues(directory: directory, threshold: 1000))
        let names = try directory.names()
        #expect(names.count == 1)
        #expect(try scratch.text().contains("<attribute name=\"bytes\" type=\"external\">\(names.first ?? "")</attribute>"))
        let loaded = try load(scratch.store, model, ExternalValues(directory: directory, threshold: 1000))
        #expect(dump(loaded, model) == dump(builder.contents, model))
        try directory.removeAll()
        let error = try storeError { _ = try load(scratch.store, model, ExternalValues(directory: directory, threshold: 1000)) }
        #expect(error?.code == .corrupt)
    }

    @Test("A reference to an object that is gone is not written")
    func danglingReference() throws {
        let model = try shapesModel.get()
        var builder = ContentsBuilder(model)
        try builder.add("Person", 1, toOne: ["boss": ("Person", 9, 0)])
        let scratch = try Scratch()
        try save(builder.contents, model, to: scratch.store)
        let loaded = try load(scratch.store, model)
        let row = try #require(loaded.rows.values.first?.first)
        guard case .toOne(let slot, _, _)? = model.entity(named: "Person")?.relationship(named: "boss")?.storage else { return }
        #expect(row.isNull(slot))
    }

    @Test("A text that is no UTF-8 is refused when it is saved, with its place")
    func invalidText() throws {
        let model = try valuesModel.get()
        let entity = model.entities[0]
        var writer = RowWriter()
        writer.begin(entity, reference: 1, version: 1)
        let slot = try #require(entity.attribute(named: "text")?.slot)
        ([0x61, 0xC0, 0x80] as [UInt8]).withUnsafeBytes { writer.set(bytes: $0, at: slot) }
        var contents = ContentsBuilder(model).contents
        contents.rows[0] = [writer.finish()]
        let scratch = try Scratch()
        let error = try storeError { try save(contents, model, to: scratch.store) }
        #expect(error?.code == .wrongValue)
        #expect(error?.key == "text")
        #expect(!FileManager.default.fileExists(atPath: scratch.store))
    }
}

/// Values at the bounds of every type, by the attribute that takes them.
enum BoundaryValues {
    static let all: [(String, [Value])] = [
        ("i16", [Int16.min, Int16.min + 1, -1, 0, 1, Int16.max - 1, Int16.max].map { .int(Int64($0)) }),
        ("i32", [Int32.min, Int32.min + 1, Int32.max - 1, Int32.max].map { .int(Int64($0)) }),
        ("i64", [Int64.min, Int64.min + 1, 1 << 53 - 1, 1 << 53, 1 << 53 + 1, Int64.max - 1, Int64.max].map { .int($0) }),
        ("flag", [true, false]),
        (
            "double",
            [
                0.0, -0.0, 1, -1, 0.1, 1 / 3, .leastNonzeroMagnitude, -.leastNormalMagnitude.nextDown, .leastNormalMagnitude, .greatestFiniteMagnitude, .infinity,
                -.infinity, .nan, 9_007_199_254_740_992, 1e16, 1e22, 1e23, 123_456_789.123456789, .pi,
            ].map { .double($0) }
        ),
        (
            "float",
            [0, -0.0, 1, 0.1, .pi, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .infinity, -.infinity, .nan, 16_777_216].map {
                (number: Float) in .double(Double(number))
            }
        ),
        (
            "decimal",
            ["0", "1", "-1", "0.1", "-0.1", "10", "100.01", "12345678901234567890123456789012345678", "0.00000000000000000000000000000000001"]
                .map { .decimal(Decimal(string: $0) ?? .nan) } + [.decimal(.nan), .decimal(Decimal(sign: .minus, exponent: 20, significand: 7))]
        ),
        (
            "date",
            [
                0, -0.0, 259_495_720.564_060_002_565_383_911_13, 1e-9, 1, 1 + 1e-9, -978_307_200, 64_092_211_200, -63_114_076_800, 0.1,
                .leastNonzeroMagnitude, 6.1e-5, 0x1p-14, 1e300, .infinity, .nan, 464_441_952.529884, 0x1p63, -0.5,
            ].map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
        ),
        ("text", texts.map { .string($0) }),
        (
            "bytes",
            [0, 1, 2, 3, 56, 57, 58, 113, 114, 115, 4095, 4096, 4097, 1_000_000].map { (count: Int) in
                .data(Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ count) }))
            }
        ),
        ("packed", [.data(Data()), .data(Data([0, 255]))]),
        (
            "uuid",
            [
                .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))),
                .uuid(UUID(uuid: (255, 254, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13))),
            ]
        ),
        ("link", ["https://example.org/a?b=c&d=%20", "file:///tmp/x", "x"].map { .url(URL(string: $0) ?? URL(fileURLWithPath: "/")) }),
    ]

    static let texts = [
        "", " ", "  two  ", "\n", "\r", "\r\n", "\t", "\0", "a\0b", "\u{1}", "\u{1F}", "\u{7F}", "\u{85}", "\u{2028}", "\u{FFFD}", "\u{FFFE}",
        "\u{FFFF}", "\u{10FFFF}", "😀", "e\u{301}", "é", "İı", "ß", "\\", "\\\\", "\\u", "\\u3c00", "\\\\u3c00", "\\u5c00u", "\\x\\", "<", ">",
        "&", "&lt;", "&#13;", "]]>", "<![CDATA[x]]>", "<!-- crc32c 00000000 -->", "</database>", "'\"; -- % _", String(repeating: "k", count: 512),
        String(repeating: "😀<\r", count: 50_000), String(repeating: "x", count: 1_000_000), "\u{FEFF}bom", "\u{D7FF}\u{E000}",
    ]
}
