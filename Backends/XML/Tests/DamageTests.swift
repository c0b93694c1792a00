import Foundation
import StrataEngine
import StrataModel
import StrataStore
import StrataTestModels
import StrataTestRandom
import StrataTestSupport
import StrataXML
import Testing

@Suite struct DamageTests {
    private func small() throws -> (ManagedObjectModel, TableContents) {
        let model = try ManagedObjectModel {
            Entity("A", attributes: ["t": .string], relationships: ["to": .toOne("A.of"), "of": .ordered("A.to")])
        }
        var builder = format.builder(model)
        try builder.add("A", 1, ["t": "=!--?&"], toOne: ["to": ("A", 2, 1024)])
        try builder.add("A", 2, ["t": "x\r"])
        builder.contents.metadata = StoreMetadata(
            type: .xml,
            storeID: "AB",
            versionHashes: ["A": [1, 2]],
            userInfo: ["StrataVersion": .string("1")]
        )
        builder.contents.metadata.holdsWholeModel = true
        return (model, builder.contents)
    }

    @Test("Every bit that flips is noticed, or changes nothing")
    func flips() throws {
        let (model, contents) = try small()
        let scratch = try format.saved(contents, model)
        let count = try scratch.bytes().count
        let whole = dump(try format.load(scratch.path, model), model)
        var noticed = 0
        try Damage.flips(of: scratch) { byte, bit in
            let location = "bit \(bit) of byte \(byte)"
            var read: String?
            let error = try storeError { read = dump(try format.load(scratch.path, model), model) }
            if let error {
                noticed += 1
                try #require(Damage.codes.contains(error.code), "\(location): \(error)")
            } else {
                try #require(read == whole, "\(location)")
            }
            if bit != byte & 7 { return }
            let other = try storeError {
                let metadata = try XMLCodec().metadata(scratch.path)
                try #require(metadata == contents.metadata, "\(location)")
            }
            if let other { try #require(Damage.codes.contains(other.code), "\(location): \(other)") }
        }
        // Only the line of the checksum itself may lose a bit without loss.
        #expect(noticed > count * 8 - 50 * 8)
    }

    @Test("Every length that a file is cut to is noticed, or nothing is lost")
    func truncations() throws {
        let (model, contents) = try small()
        let scratch = try format.saved(contents, model)
        try Damage.truncations(of: scratch) { length in
            let error = try storeError { _ = try format.load(scratch.path, model) }
            try #require(error.map { Damage.codes.contains($0.code) } == true, "length \(length): \(String(describing: error))")
            let other = try storeError { _ = try XMLCodec().metadata(scratch.path) }
            if let other { try #require(Damage.codes.contains(other.code), "length \(length): \(other)") }
        }
    }

    @Test("Random damage without a checksum never gives anything but rows or a typed error")
    func randomDamage() throws {
        let (model, contents) = try small()
        let scratch = try format.saved(contents, model)
        let text = try scratch.text()
        let sound = Array(text.split(separator: "\n").filter { !$0.contains("<!-- crc32c") }.joined(separator: "\n").utf8)
        var random = SeededGenerator.printed("damage")
        let pieces = [
            "<", ">", "&", "]]>", "<!--", "<?", "<![CDATA[", "<object ", "z1", "\u{0}", "</object>", "\\u00d8", "<attribute", "\"",
        ]
        .map { Array($0.utf8) }
        for _ in 0..<800 {
            var damaged = sound
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let position = Int.random(in: 0..<damaged.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: damaged[position] = UInt8.random(in: 0...255, using: &random)
                case 1: damaged.removeSubrange(position..<min(damaged.count, position + Int.random(in: 1...40, using: &random)))
                case 2: damaged.insert(contentsOf: pieces.randomElement(using: &random) ?? [], at: position)
                default: damaged.insert(contentsOf: damaged[position..<min(damaged.count, position + 60)], at: position)
                }
                if damaged.isEmpty { damaged = [0] }
            }
            try scratch.put(damaged)
            _ = try storeError {
                let loaded = try format.load(scratch.path, model)
                try format.save(loaded, model, to: scratch.path + "2")
                #expect(dump(try format.load(scratch.path + "2", model), model) == dump(loaded, model))
            }
        }
    }
}
