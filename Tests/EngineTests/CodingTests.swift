import FoundationEssentials
import StrataEngine
import StrataFiles
import StrataModel
import StrataStore
import Testing

@Suite("Bytes that formats of one's own consist of")
struct CodingTests {
    private func read<Length, T>(_ bytes: [UInt8], _: Length.Type, _ body: (inout ByteReader<Length>) throws -> T) throws -> T {
        try bytes.withUnsafeBytes { bytes in
            var reader = ByteReader<Length>(bytes)
            return try body(&reader)
        }
    }

    @Test("Numbers are little-endian, and lengths as wide as the format says")
    func layout() {
        var narrow = ByteWriter<UInt32>()
        narrow.put(UInt16(0x0102))
        narrow.put(text: "ü")
        narrow.pad()
        #expect(narrow.bytes == [2, 1, 2, 0, 0, 0, 0xC3, 0xBC])
        var wide = ByteWriter<Int64>()
        wide.put(optional: nil)
        wide.put(content: [7] as [UInt8])
        #expect(wide.bytes == [0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 7])
    }

    @Test("What was written is read again")
    func roundTrip() throws {
        var writer = ByteWriter<UInt64>()
        writer.put(Int64.min)
        writer.put(optional: 5)
        writer.put(optional: nil)
        writer.put(text: "😀")
        writer.put(count: 0)
        try read(writer.bytes, UInt64.self) { reader in
            let (least, five, none) = (try reader.number(Int64.self), try reader.optional(), try reader.optional())
            let (text, count) = (try reader.text(), try reader.count())
            #expect(least == .min)
            #expect(five == 5)
            #expect(none == nil)
            #expect(text == "😀")
            #expect(count == 0)
            #expect(reader.isAtEnd)
        }
    }

    @Test("Nothing is read beyond the end, whatever the bytes say", arguments: 0..<13)
    func truncated(_ count: Int) {
        var writer = ByteWriter<UInt32>()
        writer.put(text: "name")
        writer.put(UInt32(1))
        writer.put(UInt8(9))
        #expect(throws: MalformedBytes.self) {
            try read(Array(writer.bytes.prefix(count)), UInt32.self) { reader in
                _ = try reader.text()
                _ = try reader.take(reader.count())
            }
        }
    }

    @Test("A count of more things than there is room for is refused")
    func counts() {
        #expect(throws: MalformedBytes.self) { try read([255, 255, 255, 127, 0], UInt32.self) { try $0.count() } }
        #expect(throws: MalformedBytes.self) { try read(Array(repeating: 255, count: 16), Int64.self) { try $0.count() } }
        #expect(throws: MalformedBytes.self) { try read([2, 0, 0, 0, 1, 2, 3], UInt32.self) { try $0.count(ofSize: 2) } }
        #expect(throws: MalformedBytes.self) { try read(Array(repeating: 255, count: 8), UInt64.self) { try $0.index() } }
        #expect(throws: MalformedBytes.self) { try read([1, 0, 0, 0, 0xFF], UInt32.self) { try $0.text() } }
    }

    @Test("A seal is broken by every changed byte")
    func seal() throws {
        var writer = ByteWriter<UInt32>()
        writer.put(text: "sealed")
        let sealed = writer.sealed(as: UInt32.self)
        func text(_ bytes: [UInt8]) throws -> String {
            try bytes.withUnsafeBytes { bytes in
                var reader = try ByteReader<UInt32>(sealed: bytes, as: UInt32.self)
                return try reader.text()
            }
        }
        let found = try text(sealed)
        #expect(found == "sealed")
        for index in sealed.indices {
            var damaged = sealed
            damaged[index] ^= 4
            #expect(throws: MalformedBytes.self) { try text(damaged) }
        }
        #expect(throws: MalformedBytes.self) { try text([1, 2, 3]) }
    }

    private func nested(_ depth: Int) -> PropertyListValue { (0..<depth).reduce(.bool(true)) { value, _ in .array([value]) } }

    @Test("Metadata are read as they were written, however truth values are", arguments: [MetadataCodec<UInt32>.Truth.asTag, .asByte])
    func metadata(_ truth: MetadataCodec<UInt32>.Truth) throws {
        let metadata = StoreMetadata(
            type: StoreType(rawValue: "Mine"), storeID: "U", versionHashes: ["A": [1, 2], "": []], versionIdentifiers: ["1", ""],
            userInfo: [
                "no": .bool(false), "one": .int(1), "whole": .double(1), "text": .string("ü"), "data": .data(Data([1])),
                "date": .date(Date(timeIntervalSinceReferenceDate: 1.5)), "deep": nested(StoreMetadata.greatestNesting),
                "dictionary": .dictionary(["": .array([])]),
            ])
        let codec = MetadataCodec<UInt32>(truth: truth)
        var writer = ByteWriter<UInt32>()
        try codec.write(metadata, to: &writer)
        let found = try read(writer.bytes, UInt32.self) { try codec.read(&$0) }
        #expect(found == metadata)
        for count in stride(from: 0, to: writer.bytes.count, by: 7) {
            #expect(throws: MalformedBytes.self) { try read(Array(writer.bytes.prefix(count)), UInt32.self) { try codec.read(&$0) } }
        }
    }

    @Test("User info that nests more deeply than a store writes it is read, up to a limit")
    func nesting() throws {
        let codec = MetadataCodec<UInt32>(truth: .asTag)
        var metadata = StoreMetadata(type: StoreType(rawValue: "Mine"), storeID: "U", versionHashes: [:])
        metadata.userInfo["deep"] = nested(StoreMetadata.greatestNesting)
        var writer = ByteWriter<UInt32>()
        try codec.write(metadata, to: &writer)
        let innermost = try #require(writer.bytes.lastIndex(of: 1))
        let most = StoreMetadata.greatestNestingRead - StoreMetadata.greatestNesting
        func deeper(by count: Int) -> [UInt8] {
            let arrays = [UInt8]((0..<count).map { _ in [7, 1, 0, 0, 0] }.joined())
            return Array(writer.bytes[..<innermost]) + arrays + writer.bytes[innermost...]
        }
        let found = try read(deeper(by: most), UInt32.self) { try codec.read(&$0) }
        #expect(found.userInfo["deep"] == nested(StoreMetadata.greatestNestingRead))
        #expect(throws: MalformedBytes.self) { try read(deeper(by: most + 1), UInt32.self) { try codec.read(&$0) } }
        metadata.userInfo["deep"] = nested(StoreMetadata.greatestNestingRead + 1)
        let error = #expect(throws: StoreError.self) { try codec.write(metadata, to: &writer) }
        #expect(error?.code == .tooLarge)
    }
}
