import Foundation
import StrataEngine
import StrataModel
import StrataStore
import StrataTestModels
import StrataTestSupport
import Testing

@Suite struct RoundTripTests {
    @Test("Values at the bounds of every type come back bit for bit")
    func values() throws {
        let (model, builder) = try format.boundaryValues()
        try format.checkRepeatedRoundTrip(builder.contents, model)
    }

    @Test("Every shape of relationship comes back with its order")
    func relationships() throws {
        let (model, builder) = try format.connectedShapes()
        try format.checkRoundTrip(builder.contents, model)
    }

    @Test("Metadata of every kind come back, and unknown keys with them")
    func metadata() throws {
        let model = try AtomicModels.values.get()
        var builder = format.builder(model)
        builder.contents.metadata.userInfo["all"] = .dictionary([
            "bool": .array([.bool(true), .bool(false)]), "int": .int(.min), "double": .double(0.1), "empty": .dictionary([:]),
            "none": .array([]), "text": .string("<&> \\u3c00 \r\n\t \u{1} \u{FFFE} ]]> \"é\""), "": .string(""),
            "date": .date(Date(timeIntervalSinceReferenceDate: 1000)), "fine": .date(Date(timeIntervalSinceReferenceDate: 0.125)),
            "data": .data(Data((0..<200).map { UInt8($0) })), "no data": .data(Data()),
        ])
        builder.contents.metadata.userInfo["NSPersistenceFrameworkVersion"] = .int(1344)
        try format.checkMetadata(builder.contents, model)
    }

    @Test("Metadata are replaced without a model, and everything else stays")
    func rewriting() throws {
        let (model, builder) = try format.connectedShapes()
        try format.checkRewriting(builder.contents, model)
    }

    @Test("Names that differ in case only, or contain markup, are distinguished")
    func names() throws {
        let model = try ManagedObjectModel {
            Entity("note") {
                Attributes(["name": .string, "Name": .string])
                Attribute("a<b>&\"'\tc\n\\u3c00", .string)
                Relationship("x\"> <y", to: "Note")
                Attribute("ÄÖß", .string)
            }
            Entity("Note") { Attribute("text", .string) }
            Entity("\"; DROP TABLE <x>&amp;") { Attribute("]]>", .string) }
        }
        var builder = format.builder(model)
        try builder.add(
            "note",
            1,
            ["name": "lower", "Name": "upper", "a<b>&\"'\tc\n\\u3c00": "markup", "ÄÖß": "letters"],
            toOne: ["x\"> <y": ("Note", 2, 0)]
        )
        try builder.add("Note", 2, ["text": "other"])
        try builder.add("\"; DROP TABLE <x>&amp;", 3, ["]]>": "]]>"])
        try format.checkRoundTrip(builder.contents, model)
    }

    @Test("Large values lie in files of their own and come back")
    func externalValues() throws {
        let model = try AtomicModels.values.get()
        var builder = format.builder(model)
        let large = Data((0..<5000).map { UInt8(truncatingIfNeeded: $0 * 7) })
        try builder.add("Thing", 1, ["bytes": .data(large), "text": "beside"])
        try builder.add("Thing", 2, ["bytes": .data(Data([1, 2, 3]))])
        try format.checkExternalValues(builder.contents, model) { scratch, names in
            #expect(names.count == 1)
            let text = try scratch.text()
            #expect(text.contains("<attribute name=\"bytes\" type=\"external\">\(names.first ?? "")</attribute>"))
        }
    }

    @Test("A reference to a deleted object is not written")
    func danglingReference() throws {
        let model = try AtomicModels.shapes.get()
        var builder = format.builder(model)
        try builder.add("Person", 1, toOne: ["boss": ("Person", 9, 0)])
        let scratch = try format.saved(builder.contents, model)
        let loaded = try format.load(scratch.path, model)
        let row = try #require(loaded.rows.values.first?.first)
        guard case .toOne(let slot, _, _) = try #require(model.entity(named: "Person")?.relationship(named: "boss")).storage else {
            Issue.record("boss is in no slot")
            return
        }
        #expect(row.isNull(slot))
    }

    // A store that was converted to XML had other references than before.
    @Test("References that objects of several hierarchies have come back, and the ids of the file are unique")
    func sharedReferences() throws {
        let model = try ManagedObjectModel {
            for (name, next) in [("A", "B"), ("B", "C"), ("C", "A")] {
                Entity(name) {
                    Attribute("name", .string)
                    Relationship("next", to: next, inverse: "previous")
                    Relationship("previous", to: name == "A" ? "C" : name == "B" ? "A" : "B", inverse: "next", .ordered)
                }
            }
        }
        var builder = format.builder(model)
        for (name, next, count) in [("A", "B", Int64(3)), ("B", "C", 2), ("C", "A", 4)] {
            for reference in 1...count {
                try builder.add(name, reference, ["name": .string("\(name)\(reference)")], toOne: ["next": (next, 1 + reference % 2, 0)])
            }
        }
        // The reference plus the offset is the number of an object of another entity.
        try builder.add("A", 7, toOne: ["next": ("B", 3, 0)])
        let scratch = try format.saved(builder.contents, model)
        let ids = try scratch.text().matches(of: /<object type="[ABC]" id="(z[0-9]+)"/).map { String($0.1) }
        #expect(ids.count == 10)
        #expect(Set(ids).count == 10)
        let loaded = try format.load(scratch.path, model)
        for (root, rows) in builder.contents.rows {
            #expect(loaded.rows[root]?.map(\.reference) == rows.map(\.reference))
            #expect(loaded.lastReference[root] == 7)
        }
        #expect(loaded.metadata.userInfo.keys.allSatisfy { builder.contents.metadata.userInfo[$0] != nil })
        let again = try format.saved(loaded, model)
        #expect(try again.text() == scratch.text())
        try format.checkRewriting(loaded, model)
    }

    @Test("A text that is no UTF-8 is refused when it is saved, with its place")
    func invalidText() throws {
        let model = try AtomicModels.values.get()
        let entity = model.entities[0]
        var writer = RowWriter()
        writer.begin(entity, reference: 1, version: 1)
        let slot = try #require(entity.attribute(named: "text")?.slot)
        ([0x61, 0xC0, 0x80] as [UInt8]).withUnsafeBytes { writer.set(bytes: $0, at: slot) }
        var contents = format.builder(model).contents
        contents.rows[0] = [writer.finish()]
        let scratch = try ScratchFile()
        let error = try storeError { try format.save(contents, model, to: scratch.path) }
        #expect(error?.code == .wrongValue)
        #expect(error?.key == "text")
        #expect(!FileManager.default.fileExists(atPath: scratch.path))
    }
}
