import FoundationEssentials
import StrataPropertyLists
import Testing

@Suite struct PropertyListTests {
    private func read(_ bytes: [UInt8], nesting: Int = 8, values: Int = .max) throws -> BinaryPropertyList.Value? {
        try bytes.withUnsafeBytes { try BinaryPropertyList.value($0, nesting: nesting, values: values) }
    }

    /// A list of objects, the first of which is the root.
    private func list(_ objects: [[UInt8]]) -> [UInt8] {
        var (bytes, table): ([UInt8], [UInt8]) = (Array("bplist00".utf8), [])
        for object in objects {
            table.append(UInt8(bytes.count))
            bytes += object
        }
        let end = UInt8(bytes.count)
        let trailer: [UInt8] = [0, 0, 0, 0, 0, 0, 1, 1] + [0, 0, 0, 0, 0, 0, 0, UInt8(objects.count)]
        return bytes + table + trailer + [0, 0, 0, 0, 0, 0, 0, 0] + [0, 0, 0, 0, 0, 0, 0, end]
    }

    @Test("Numbers keep their kinds, and references of archives are read") func kinds() throws {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        #expect(try read(Array(encoder.encode(["a": [1.5, 2.0]]))) == .dictionary(["a": .array([.double(1.5), .double(2)])]))
        #expect(try read(Array(encoder.encode(["b": [-3, 4]]))) == .dictionary(["b": .array([.int(-3), .int(4)])]))
        #expect(try read(list([[0xA3, 1, 2, 1], [0x80, 7], [0x81, 1, 0]])) == .array([.uid(7), .uid(256), .uid(7)]))
        #expect(try read(Array("<plist/>".utf8)) == nil)
    }

    @Test("Lists within themselves, deep ones, and ones that name a value over and over are refused") func bounds() {
        #expect(throws: DamagedPropertyList.self) { try read(list([[0xA1, 0]])) }
        #expect(throws: DamagedPropertyList.self) { try read(list([[0xA1, 1], [0xA1, 2], [0xA0]]), nesting: 2) }
        let wide = (0..<6).map { [0xA8] + [UInt8](repeating: UInt8($0 + 1), count: 8) } + [[0x09]]
        #expect(throws: DamagedPropertyList.self) { try read(list(wide)) }
        #expect(throws: DamagedPropertyList.self) { try read(list([[0xA3, 1, 1, 1], [0x09]]), values: 3) }
    }
}
