import FoundationEssentials
import StrataModel
import StrataTestModels
import StrataTestRandom
import Testing

@Suite("Rows from untrusted bytes")
struct HostileRowTests {
    private let model: ManagedObjectModel
    private let bytes: [UInt8]

    init() throws {
        model = try ManagedObjectModel {
            Entity("Item") {
                Attributes([
                    "data": .binary, "decimal": .decimal, "flag": .boolean, "id": .uuid, "number": .integer64, "text": .string,
                    "url": .uri,
                ])
                Relationship("next", to: "Item")
            }
            Entity("Wide") { for number in 100..<180 { Attribute("a\(number)", .string) } }
        }
        var writer = RowWriter()
        writer.begin(model.entities[0], reference: 3, version: 1)
        let values: [String: Value] = [
            "data": .data(Data([1, 2, 3])), "decimal": .decimal(12), "flag": true, "id": .uuid(UUID()), "number": 5, "text": "some text",
            "url": .url(try #require(URL(string: "https://swift.org"))),
        ]
        for attribute in model.entities[0].attributes {
            writer.set(try #require(values[attribute.name]), at: try #require(attribute.slot), attribute.slotKind)
        }
        bytes = Array(writer.finish().bytes)
    }

    private func parse(_ bytes: [UInt8]) -> Row? {
        var writer = RowWriter(chunkSize: 64)
        return bytes.withUnsafeBytes { writer.copy(bytes: $0, model: model) }
    }

    /// Reads everything there is to read.
    private func touch(_ row: Row) -> Int {
        let layout = model.entities[row.entityIndex].layout
        return layout.slots.typedIndices(Slot.self).reduce(row.bytes.count) {
            $0 &+ row.value($1, layout.slots[$1].kind).description.utf8.count
        }
    }

    @Test("Whole bytes give the row")
    func whole() throws {
        let row = try #require(parse(bytes))
        #expect(Array(row.bytes) == bytes)
        #expect(row.reference == 3)
        #expect(row.value(try #require(model.entities[0].attribute(named: "text")?.slot), .string) == "some text")
    }

    @Test("Every truncation is refused")
    func truncated() { for count in 0..<bytes.count { #expect(parse(Array(bytes.prefix(count))) == nil, "\(count) bytes") } }

    @Test("A truncation with a length that fits is refused as long as it cuts a value")
    func truncatedWithLength() {
        let variable = model.entities[0].layout.fixedSize
        for count in stride(from: 0, to: variable, by: 8) {
            var cut = Array(bytes.prefix(count))
            if count >= 4 { cut.replaceSubrange(0..<4, with: withUnsafeBytes(of: UInt32(count).littleEndian, Array.init)) }
            #expect(parse(cut) == nil)
        }
    }

    @Test("Bytes behind the row are refused")
    func appended() { #expect(parse(bytes + [UInt8](repeating: 0, count: 8)) == nil) }

    @Test("An unknown entity, or one whose rows are longer, is refused", arguments: [1, 2, 0xFFFF_FFFF] as [UInt32])
    func otherEntity(index: UInt32) {
        var edited = bytes
        edited.replaceSubrange(4..<8, with: withUnsafeBytes(of: index.littleEndian, Array.init))
        #expect(parse(edited) == nil)
    }

    @Test("A value that lies in the fixed part, or leaves the row, is refused")
    func outOfBounds() throws {
        let slot = try #require(model.entities[0].attribute(named: "text")?.slot)
        let fixed = UInt64(model.entities[0].layout.fixedSize)
        let end = UInt64(bytes.count)
        let ranges: [(start: UInt64, length: UInt64)] = [
            (0, 8), (fixed - 1, 1), (end, 1), (end - 1, 2), (fixed, 0xFFFF_FFFF), (0xFFFF_FFFF, 0xFFFF_FFFF), (0xFFFF_FFFF, 0),
        ]
        for range in ranges {
            var edited = bytes
            let word = range.start | range.length << 32
            edited.replaceSubrange(
                RowLayout.offset(ofSlot: slot)..<RowLayout.offset(ofSlot: slot) + 8,
                with: withUnsafeBytes(of: word.littleEndian, Array.init)
            )
            #expect(parse(edited) == nil, "\(range)")
        }
    }

    @Test("A UUID of another length is refused")
    func shortUUID() throws {
        let offset = RowLayout.offset(ofSlot: try #require(model.entities[0].attribute(named: "id")?.slot))
        var edited = bytes
        edited[offset + 4] = 15
        #expect(parse(edited) == nil)
    }

    @Test("Random edits give no row, or one that can be read to the last byte")
    func edited() {
        var random = SeededGenerator(seed: 3)
        var accepted = 0
        for _ in 0..<20_000 {
            var edited = bytes
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                edited[Int.random(in: 0..<edited.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            if let row = parse(edited) {
                accepted += 1
                #expect(touch(row) > 0)
            }
        }
        #expect(accepted > 1000)
        #expect(accepted < 19_000)
    }

    @Test("A row in a borrowed chunk is found at its offset only")
    func borrowed() throws {
        let owner = try #require(Buffer(bytes))
        let chunk = RowChunk(borrowing: owner.bytes, from: owner)
        #expect(Row(in: chunk, at: 0, model: model)?.reference == 3)
        for offset in [-8, 4, 8, bytes.count - 8, bytes.count, Int.max - 7] { #expect(Row(in: chunk, at: offset, model: model) == nil) }
    }

    @Test("A chunk without bytes holds no row")
    func emptyChunk() throws {
        let owner = try #require(Buffer([]))
        let chunk = RowChunk(borrowing: UnsafeRawBufferPointer(start: nil, count: 0), from: owner)
        #expect(Row(in: chunk, at: 0, model: model) == nil)
    }

    /// Aligned memory with some bytes in it.
    private final class Buffer {
        let bytes: UnsafeRawBufferPointer

        init?(_ content: [UInt8]) {
            let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: content.count, alignment: 8)
            memory.copyBytes(from: content)
            bytes = UnsafeRawBufferPointer(memory)
        }

        deinit { bytes.deallocate() }
    }
}
