import Foundation
import StrataEngine
import StrataFiles
import StrataModel
import StrataStore
import StrataTestModels
import StrataTestRandom
import StrataTestSupport
import Testing

@testable import StrataBinary

@Suite struct DamageTests {
    private func small() throws -> (ManagedObjectModel, TableContents) {
        let model = try ManagedObjectModel {
            Entity("A") {
                Attribute("t", .string)
                Relationships(["to": .toOne("A.of"), "of": .ordered("A.to"), "many": .toMany("A.many")])
            }
            Entity("B", parent: "A")
        }
        var builder = format.builder(model)
        try builder.add("A", 1, ["t": "text"], toOne: ["to": ("B", 2, 1024)])
        try builder.add("B", 2)
        builder.contents.links[0] = [Link(first: 1, second: 2), Link(first: 2, second: 1)]
        return (model, builder.contents)
    }

    @Test("Every bit that flips is noticed")
    func flips() throws {
        let (model, contents) = try small()
        let scratch = try format.saved(contents, model)
        try Damage.flips(of: scratch) { byte, bit in
            let error = try storeError { _ = try format.load(scratch.path, model) }
            try #require(
                error.map { Damage.codes.contains($0.code) } == true,
                "bit \(bit) of byte \(byte): \(String(describing: error))"
            )
        }
    }

    @Test("Every length that a file is cut to is noticed, and what an interrupted save left behind the file is not read")
    func truncations() throws {
        let (model, contents) = try small()
        let scratch = try format.saved(contents, model)
        let sound = try scratch.bytes()
        try Damage.truncations(of: scratch) { length in
            for read in [{ _ = try format.load(scratch.path, model) }, { _ = try BinaryCodec().metadata(scratch.path) }] {
                let error = try storeError(read)
                try #require(
                    error?.code == .corrupt || length == 0 && error?.code == .foreign,
                    "length \(length): \(String(describing: error))"
                )
            }
        }
        // A save that was interrupted leaves such bytes; a version without saves behind the file does not.
        for added in [1, 8, 100] {
            try scratch.put(sound + Array(repeating: 0, count: added))
            #expect(dump(try format.load(scratch.path, model), model) == dump(contents, model))
            try scratch.put(WholeVersion.file(sound) + Array(repeating: 0, count: added))
            #expect(try storeError { _ = try format.load(scratch.path, model) }?.code == .corrupt)
        }
    }

    @Test("Each byte in which a bit flips in a file of the older version is noticed")
    func flipsInWholeVersion() throws {
        let (model, contents) = try small()
        let scratch = try format.saved(contents, model)
        let sound = WholeVersion.file(try scratch.bytes())
        try scratch.put(sound)
        #expect(dump(try format.load(scratch.path, model), model) == dump(contents, model))
        for byte in sound.indices {
            for bit in stride(from: RunSeed.isSoak ? 0 : byte % 8, to: 8, by: RunSeed.isSoak ? 1 : 8) {
                var damaged = sound
                damaged[byte] ^= 1 << bit
                try scratch.put(damaged)
                let error = try storeError { _ = try format.load(scratch.path, model) }
                try #require(
                    error.map { Damage.codes.contains($0.code) } == true, "bit \(bit) of byte \(byte): \(String(describing: error))")
            }
        }
    }

    @Test("Damage behind right checksums never gives anything but rows that can be read or a typed error")
    func hostileSections() throws {
        let (model, contents) = try small()
        let scratch = try format.saved(contents, model)
        let sound = try scratch.bytes()
        var random = SeededGenerator.printed("sections")
        var refused = 0
        for _ in 0..<4000 {
            var damaged = sound
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(
                    in: FileLayout.headerSize..<(sound.count - CommitRecord.length - FileLayout.trailerSize()), using: &random)
                damaged[place] =
                    [0, 1, 2, 7, 8, 0x7F, 0x80, 0xFF, UInt8.random(in: 0...255, using: &random)].randomElement(using: &random) ?? 0
            }
            try scratch.put(Checksums.mended(damaged))
            let error = try storeError {
                let loaded = try format.load(scratch.path, model)
                #expect(!dump(loaded, model).isEmpty)
                for row in loaded.rows.values.flatMap(\.self) {
                    for (slot, description) in model.entities[row.entityIndex].layout.indexedSlots where description.kind == .entity {
                        if let index = row.integer(slot) { #expect(model.entities.indices.contains(Int(index))) }
                    }
                }
            }
            if let error {
                refused += 1
                try #require([.corrupt, .incompatibleModel].contains(error.code), "\(error)")
            }
        }
        #expect(refused > 500)
    }

    @Test("A newer version is refused by its number, files of other kinds by theirs")
    func otherFiles() throws {
        let (model, contents) = try small()
        let scratch = try format.saved(contents, model)
        var newer = try scratch.bytes()
        newer[8] = 3
        try scratch.put(Checksums.mended(newer))
        let error = try storeError { _ = try format.load(scratch.path, model) }
        #expect(error?.code == .unsupportedVersion)
        #expect(error?.message.contains("3") == true)
        let others: [(String, StoreError.Code)] = [
            ("SQLite format 3\u{0}", .wrongType), ("<?xml version=\"1.0\"?>\n<database></database>", .wrongType), ("hello", .foreign),
            ("<?xml version=\"1.0\"?><plist/>", .foreign), ("\u{0}", .foreign),
        ]
        for (text, code) in others {
            try scratch.put(text)
            #expect(try storeError { _ = try format.load(scratch.path, model) }?.code == code, "\(text)")
            #expect(try storeError { _ = try BinaryCodec().metadata(scratch.path) }?.code == code, "\(text)")
        }
    }

    @Test("The header, the trailer and a row lie where the format's description says")
    func bytes() throws {
        let (model, contents) = try small()
        let scratch = try format.saved(contents, model)
        let bytes = try scratch.bytes()
        func word(_ offset: Int) -> UInt32 {
            bytes.withUnsafeBytes { UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self)) }
        }
        func number(_ offset: Int) -> Int {
            bytes.withUnsafeBytes { Int(Int64(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Int64.self))) }
        }
        #expect(Array(bytes[..<8]) == [0x89, 0x53, 0x54, 0x52, 0x41, 0x0D, 0x0A, 0x1A])
        #expect(word(8) == 2)
        #expect(word(12) == 0x0102_0304)
        let length = bytes.count - 48
        #expect(number(16) == length)
        #expect(word(28) == CRC32C.checksum(of: Array(bytes[..<28])))
        let trailer = length - 224
        #expect(number(trailer + 8) == 32)
        let rows = number(trailer + 3 * 24 + 8)
        #expect(word(trailer + 3 * 24) == 4)
        #expect(rows % 8 == 0)
        #expect(word(trailer + 3 * 24 + 4) == 0)
        let block = number(trailer + 6 * 24 + 8)
        #expect(word(trailer + 6 * 24) == 7)
        #expect(number(trailer + 6 * 24 + 16) == 32)
        #expect(number(block) == 0)
        #expect(number(block + 8) == 0b110)
        #expect(number(block + 16) == 0)
        #expect(word(block + 24) == CRC32C.checksum(of: Array(bytes[rows..<(rows + number(trailer + 3 * 24 + 16))])))
        let first = try #require(contents.rows[0]?.first)
        #expect(Array(bytes[rows..<(rows + first.byteCount)]) == Array(first.bytes))
        #expect(word(length - 32) == 8)
        #expect(number(length - 24) == length)
        for record in [length, length + 24] {
            #expect(number(record) == 0)
            #expect(number(record + 8) == bytes.count)
            #expect(word(record + 16) == word(length - 28))
            #expect(word(record + 20) == CRC32C.checksum(of: Array(bytes[record..<(record + 20)])))
        }
        #expect(Array(bytes[..<length].suffix(8)) == [0x1A, 0x0A, 0x0D, 0x41, 0x52, 0x54, 0x53, 0x89])
    }
}
