import Foundation
import StrataEngine
import StrataFiles
import StrataModel
import StrataStore
import StrataTestModels
import StrataTestSupport
import Testing

@testable import StrataBinary

/// Each message of a damaged file, or of one that does not fit its model.
@Suite("Messages of damaged files") struct DamageMessageTests {
    /// A sound file that a test damages.
    private struct Sample {
        var bytes: [UInt8]
        let scratch: ScratchFile

        var trailer: Int { bytes.count - CommitRecord.length - FileLayout.trailerSize() }

        func number(_ offset: Int) -> Int {
            bytes.withUnsafeBytes { Int(Int64(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Int64.self))) }
        }

        /// The position of a section's entry in the trailer.
        func entry(_ section: FileLayout.Section) -> Int { trailer + (Int(section.rawValue) - 1) * FileLayout.sectionEntrySize }

        /// Writes a number at a position of a section.
        mutating func put(_ value: Int, in section: FileLayout.Section, at offset: Int, size: Int = 8) {
            put(value, at: number(entry(section) + 8) + offset, size: size)
        }

        /// Changes the length of a section in its entry.
        mutating func lengthen(_ section: FileLayout.Section, by count: Int) {
            put(number(entry(section) + 16) + count, at: entry(section) + 16)
        }

        mutating func put(_ value: Int, at offset: Int, size: Int = 8) {
            for index in 0..<size { bytes[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * index)) }
        }
    }

    private static func model(_ properties: Int = 3) throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("A") {
                Attribute("t", .string)
                Relationships(["to": .toOne("A.of"), "of": .toMany("A.to")])
                if properties > 2 { Relationship("many", to: "A", inverse: "many", .toMany) }
                if properties > 3 { Attribute("u", .string) }
            }
            Entity("B", parent: "A")
        }
    }

    private func message(
        _ properties: Int = 3, mends: Bool = true, _ damage: (inout Sample) throws -> Void
    ) throws -> String? {
        let saved = try Self.model()
        var builder = format.builder(saved)
        try builder.add("A", 1, ["t": "text"], toOne: ["to": ("B", 2, 0)])
        try builder.add("B", 2)
        builder.contents.links[0] = [Link(first: 1, second: 2), Link(first: 2, second: 1)]
        let scratch = try format.saved(builder.contents, saved)
        var sample = Sample(bytes: try scratch.bytes(), scratch: scratch)
        try damage(&sample)
        try scratch.put(mends ? Checksums.mended(sample.bytes) : sample.bytes)
        return try storeError { _ = try format.load(scratch.path, try Self.model(properties)) }?.message
    }

    @Test("Of a damaged or truncated header or trailer")
    func ends() throws {
        #expect(try message(mends: false) { $0.bytes[20] ^= 1 } == "checksum mismatch in the header")
        #expect(try message(mends: false) { $0.bytes[$0.trailer] ^= 1 } == "checksum mismatch in the trailer")
        #expect(
            try message(mends: false) { $0.bytes[$0.number($0.entry(.rows) + 8)] ^= 1 } == "checksum mismatch in a block of rows")
        #expect(
            try message(mends: false) { $0.bytes[$0.number($0.entry(.links) + 8)] ^= 1 } == "checksum mismatch in the section of links")
        #expect(try message { $0.put(3, at: 8, size: 4) } == "the format is of version 3")
        #expect(try message(mends: false) { $0.bytes.removeLast(8) } == "the length of the file differs from that in its header")
        #expect(try message(mends: false) { $0.bytes = Array($0.bytes[..<16]) } == "the file is truncated")
        #expect(try message(mends: false) { $0.bytes = Array($0.bytes[..<4]) } == "the file ends early")
        _ = BinaryDriver(BinaryCodec())
        #expect(try message(mends: false) { $0.bytes[7] ^= 1 } == "the file's first bytes are damaged")
        #expect(try message(mends: false) { $0.bytes = Array("hello".utf8) } == "the file is no store")
        #expect(try message(mends: false) { $0.bytes = Array("SQLite format 3\0".utf8) } == "the file is of type SQLite")
    }

    @Test("Of sections that do not follow each other")
    func sections() throws {
        #expect(try message { $0.put(8, at: $0.entry(.schema) + 8) } == "the sections overlap or leave gaps")
        let gap = try message {
            $0.bytes.insert(contentsOf: [UInt8](repeating: 0, count: 8), at: $0.trailer)
            let length = $0.bytes.count - CommitRecord.length
            $0.put(length, at: 16)
            $0.put(length, at: length - 24)
        }
        #expect(gap == "there are bytes between the last section and the trailer")
        #expect(try message { $0.put(.max, in: .schema, at: 0, size: 4) } == "malformed section")
        let short = try message {
            $0.put($0.number($0.entry(.hierarchies) + 16) - 8, at: $0.entry(.hierarchies) + 16)
            $0.put($0.number($0.entry(.rows) + 8) - 8, at: $0.entry(.rows) + 8)
            $0.put($0.number($0.entry(.rows) + 16) + 8, at: $0.entry(.rows) + 16)
        }
        #expect(short == "the section of entity hierarchies has the wrong length")
    }

    @Test("Of entity hierarchies that do not fit their rows")
    func hierarchies() throws {
        #expect(try message { $0.put(3, in: .hierarchies, at: 8) } == "there are more or fewer rows than the file says")
        #expect(try message { $0.put(8_000, in: .hierarchies, at: 16) } == "the entity hierarchies are longer than the rows")
        #expect(try message { $0.put(1, in: .hierarchies, at: 32) } == "malformed description of an entity hierarchy")
        let fewer = try message {
            $0.put(1, in: .hierarchies, at: 8)
            $0.put($0.number($0.number($0.entry(.rows) + 8)) & 0xFFFF_FFFF, in: .hierarchies, at: 16)
            $0.put(0b10, in: .blocks, at: 8)
        }
        #expect(fewer == "there are rows without an entity hierarchy")
        #expect(try message { $0.put(8, in: .blocks, at: 16) } == "malformed block of rows")
        #expect(try message { $0.put(0b1010, in: .blocks, at: 8) } == "malformed block of rows")
        #expect(try message { $0.put(0b101, in: .blocks, at: 8) } == "malformed row")
        // The count of an entity is behind the only hierarchy.
        #expect(
            try message { $0.put(0, in: .hierarchies, at: FileLayout.hierarchySize) } == "there are more or fewer rows than the file says")
    }

    @Test("Of malformed rows and links")
    func records() throws {
        #expect(try message { $0.put(0, in: .rows, at: 0, size: 4) } == "malformed row")
        let slot = try #require(
            try Self.model().entities[0].layout.indexedSlots.first { $0.description.kind == .entity }?.slot)
        #expect(
            try message { $0.put(7, in: .rows, at: RowLayout.offset(ofSlot: slot)) } == "a reference has the wrong destination entity")
        #expect(try message { $0.put(1_000, in: .links, at: 0) } == "there are fewer links than the file says")
        #expect(try message { $0.put(0, in: .links, at: 8) } == "malformed link record")
    }

    @Test("Of a model that lacks what the file has")
    func models() throws {
        #expect(try message(4) { _ in } == "the model has no such entity, or another shape of it")
        #expect(try message(2) { _ in } == "the model lacks a many-to-many relationship of the file")
        #expect(try message(2) { $0.put(9, in: .rows, at: 4, size: 4) } == "malformed row: unknown entity")
        let truncated = try message(2) {
            $0.lengthen(.rows, by: 8)
            $0.put($0.number($0.entry(.links) + 8) + 8, at: $0.entry(.links) + 8)
            $0.lengthen(.links, by: -8)
            $0.put($0.number($0.number($0.entry(.hierarchies) + 8) + 16) + 8, in: .hierarchies, at: 16)
        }
        #expect(truncated == "malformed row")
    }

    @Test("Of values in files of their own that belong to nothing")
    func externalValues() throws {
        let model = try AtomicModels.values.get()
        let scratch = try ScratchFile()
        let files = ExternalValues(directory: ExternalDataDirectory(storePath: scratch.path), threshold: 1_000)
        var builder = format.builder(model)
        try builder.add("Thing", 1, ["bytes": .data(Data(repeating: 1, count: 2_000))])
        try format.save(builder.contents, model, to: scratch.path, files)
        let sound = try scratch.bytes()
        func message(_ damage: (inout Sample) -> Void) throws -> String? {
            var sample = Sample(bytes: sound, scratch: scratch)
            damage(&sample)
            try scratch.put(Checksums.mended(sample.bytes))
            return try storeError { _ = try format.load(scratch.path, model, files) }?.message
        }
        #expect(try message { $0.put(99, in: .external, at: 12) } == "a value in a file of its own belongs to no row")
        let attribute = try message { $0.put(1, in: .external, at: 8, size: 4) }
        #expect(attribute == "a value in a file of its own belongs to no attribute")
    }
}
