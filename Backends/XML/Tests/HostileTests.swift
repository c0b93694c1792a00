import StrataModel
import StrataStore
import StrataTestSupport
import Testing

@Suite struct HostileTests {
    @Test("Hostile and senseless files give typed errors", arguments: HostileFiles.all.indices)
    func typedErrors(_ index: Int) throws {
        let (name, text, code) = HostileFiles.all[index]
        let scratch = try ScratchFile()
        try scratch.put(text)
        let error = try storeError { _ = try format.load(scratch.path, try AtomicModels.shapes.get()) }
        #expect(error?.code == code, "\(name): \(String(describing: error))")
        #expect(error?.path == scratch.path)
    }

    @Test("Bytes that are no UTF-8 give typed errors")
    func encodings() throws {
        let model = try AtomicModels.shapes.get()
        let scratch = try ScratchFile()
        let before = Array(
            Document.text("<object type=\"PERSON\" id=\"z1\"><attribute name=\"name\" type=\"string\">@</attribute></object>").utf8
        )
        let place = try #require(before.firstIndex(of: UInt8(ascii: "@")))
        for bytes in [[0xC0, 0x80], [0xED, 0xA0, 0x80], [0xFF], [0xE2, 0x82], [0xF4, 0x90, 0x80, 0x80], [0xEF, 0xBF, 0xBE]] as [[UInt8]] {
            try scratch.put(Array(before[..<place]) + bytes + Array(before[(place + 1)...]))
            let error = try storeError { _ = try format.load(scratch.path, model) }
            #expect(error?.code == .corrupt, "\(bytes)")
        }
        var wide: [UInt8] = [0xFF, 0xFE]
        for unit in Document.text("").utf16 { wide += [UInt8(unit & 0xFF), UInt8(unit >> 8)] }
        try scratch.put(wide)
        #expect(try storeError { _ = try format.load(scratch.path, model) }?.code == .foreign)
    }

    @Test("Errors name the entity, the property and the id")
    func places() throws {
        let scratch = try ScratchFile()
        try scratch.put(Document.text("<object type=\"CHILD\" id=\"z4\"><relationship name=\"boss\" idrefs=\"z77\"/></object>"))
        let error = try storeError { _ = try format.load(scratch.path, try AtomicModels.shapes.get()) }
        #expect(error?.entity == "Child")
        #expect(error?.key == "boss")
        #expect(error?.message.contains("z77") == true)
    }
}
