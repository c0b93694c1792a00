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
            "note",
            1,
            ["name": "lower", "Name": "upper", "a<b>&\"'\tc\n\\u3c00": "markup", "ÄÖß": "letters"],
            toOne: ["x\"> <y": ("Note", 2, 0)]
        )
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
