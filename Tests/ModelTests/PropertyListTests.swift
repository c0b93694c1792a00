import Foundation
import StrataModel
import StrataTestRandom
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

    @Test("A list that was written is read again as it was, by Foundation too", arguments: 0..<50) func writing(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        func text() -> String {
            let characters = ["a", "é", "e\u{301}", "😀", "\u{0}", "Z_"]
            return (0..<[0, 1, 14, 15, 16, 300][Int.random(in: 0..<6, using: &random)])
                .map { _ in characters.randomElement(using: &random) ?? "" }.joined()
        }
        func value(_ depth: Int) -> BinaryPropertyList.Value {
            switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &random) {
            case 0: .bool(.random(using: &random))
            case 1: .int([.min, -1, 0, 255, 256, 65_535, 65_536, 4_294_967_295, 4_294_967_296, .max].randomElement(using: &random) ?? 0)
            case 2: .double([0, -0.5, .infinity, .greatestFiniteMagnitude, 3].randomElement(using: &random) ?? 0)
            case 3: .string(text())
            case 4: .date(Date(timeIntervalSinceReferenceDate: Double.random(in: -1e9...1e9, using: &random)))
            case 5: .data(Data((0..<Int.random(in: 0..<40, using: &random)).map { UInt8($0) }))
            case 6: .array((0..<Int.random(in: 0..<20, using: &random)).map { _ in value(depth - 1) })
            default:
                .dictionary(
                    Dictionary((0..<Int.random(in: 0..<20, using: &random)).map { _ in (text(), value(depth - 1)) }) { first, _ in first })
            }
        }
        let written = BinaryPropertyList.Value.dictionary(["root": value(4), "uid": .int(7)])
        #expect(try read(written.bytes) == written)
        let foundation = try PropertyListSerialization.propertyList(from: Data(written.bytes), format: nil)
        let again = try PropertyListSerialization.data(fromPropertyList: foundation, format: .binary, options: 0)
        #expect(try read(Array(again)) == written)
        #expect(try read(BinaryPropertyList.Value.array([.uid(7), .uid(300)]).bytes) == .array([.uid(7), .uid(300)]))
    }

    @Test("Texts that are equal as Unicode has it keep the bytes that they have") func forms() throws {
        let forms = ["\u{e9}", "e\u{301}"]
        let list = BinaryPropertyList.Value.array(forms.map { .string($0) })
        guard case .array(let texts)? = try self.read(list.bytes) else { throw CancellationError() }
        let read = texts.compactMap { if case .string(let text) = $0 { Array(text.unicodeScalars) } else { nil } }
        #expect(read == forms.map { Array($0.unicodeScalars) })
    }
}
