import CStrataLMDB
import Foundation
import StrataCoordinator
import StrataEngine
import StrataModel
import StrataPlatform
import StrataQuery
import StrataStore
import StrataTestRandom
import Synchronization
import Testing

@testable import StrataLMDB

extension RobustnessTests {
    @Test("A file cut at any length is refused, never mapped")
    func truncation() throws {
        let store = try open()
        try store.insert(try people(1...300))
        try store.close()
        let whole = try Data(contentsOf: URL(fileURLWithPath: scratch.file()))
        let path = scratch.file("cut")
        var lengths = Array(1...200) + stride(from: 201, to: whole.count, by: 499)
        lengths += stride(from: 4096, to: whole.count, by: 4096).flatMap { [$0 - 1, $0, $0 + 1] }
        for length in lengths where length < whole.count {
            try whole.prefix(length).write(to: URL(fileURLWithPath: path))
            let found = code { _ = try LMDBDriver().open(Sample.description(path), model: model) }
            #expect(found == .corrupt || (length < 20 && found == .foreign), "\(length): \(String(describing: found))")
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)).count == length)
        }
        try whole.write(to: URL(fileURLWithPath: path))
        #expect(try LMDBDriver().open(Sample.description(path), model: model).fetch(try maker.plan("Person")).count == 300)
    }

    /// LMDB follows the positions of nodes in a page wherever they lead: a file with bytes added ended the process.
    @Test("A file with some bytes added within it is refused, or read whole")
    func insertedBytes() throws {
        let store = try open()
        try store.insert(try people(1...300))
        try store.close()
        let whole = try Data(contentsOf: URL(fileURLWithPath: scratch.file()))
        let path = scratch.file("longer")
        for offset in stride(from: 8300, to: whole.count - 4096, by: 1711) {
            for count in [1, 64, 1000] {
                var longer = whole
                longer.insert(contentsOf: whole[offset..<offset + count], at: offset)
                try longer.write(to: URL(fileURLWithPath: path))
                var found = 300
                let failure = code {
                    found = try LMDBDriver().open(Sample.description(path), model: model).fetch(try maker.plan("Person")).count
                }
                // The pages behind may be unused.
                #expect(failure == nil || failure == .corrupt, "\(count) at \(offset)")
                #expect(found == 300)
            }
        }
    }

    @Test("Other files are distinguished from stores")
    func foreignFiles() throws {
        let path = scratch.file()
        let cases: [(Data, StoreError.Code)] = [
            (Data("SQLite format 3\0".utf8) + Data(count: 4096), .wrongType),
            (Data("<?xml version=\"1.0\"?>\n<!DOCTYPE database SYSTEM".utf8), .wrongType),
            (Data("<?xml version=\"1.0\"?><svg></svg>".utf8), .foreign),
            (Data(repeating: 0x41, count: 10000), .foreign), (Data([1]), .foreign),
        ]
        for (content, expected) in cases {
            try content.write(to: URL(fileURLWithPath: path))
            #expect(code { _ = try LMDBDriver().open(Sample.description(path), model: model) } == expected)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == content)
        }
        #expect(code { _ = try LMDBDriver().open(Sample.description(scratch.path + "/none/Store"), model: model) } == .missing)
        try Data().write(to: URL(fileURLWithPath: path))
        try open().insert(try people(1...1))
    }

    @Test("A changed bit of a row is found wherever it is")
    func flippedBits() throws {
        let store = try open()
        let row = try maker.row("Person", 1, ["name": "a needle in the hay", "age": .int(77)])
        try store.insert([row])
        try store.close()
        let whole = try Data(contentsOf: URL(fileURLWithPath: scratch.file()))
        let found = try #require(whole.range(of: Data(row.bytes[RowLayout.headerSize...])))
        let start = found.lowerBound - RowLayout.headerSize
        let path = scratch.file("flipped")
        for offset in stride(from: 8, to: row.byteCount, by: 1) {
            var bytes = whole
            bytes[start + offset] ^= UInt8(1 << (offset % 8))
            try bytes.write(to: URL(fileURLWithPath: path))
            let damaged = try LMDBDriver().open(Sample.description(path), model: model)
            #expect(code { _ = try damaged.fetch(try maker.plan("Person")) } == .corrupt, "byte \(offset)")
            #expect(code { _ = try damaged.read { try $0.rows(root: row.entityIndex, references: [1]) } } == .corrupt, "byte \(offset)")
            try damaged.close()
        }
    }

    private func problems() throws -> [StoreProblem] {
        try PersistentStoreCoordinator.verifyStore(
            StoreDescription(.lmdb, path: scratch.file(), configuration: "main"), model: model)
    }

    @Test("Verification passes a sound store and finds a damaged one")
    func verification() throws {
        let store = try open()
        try store.insert(try people(1...50))
        try store.close()
        #expect(try problems() == [])
        var bytes = try Data(contentsOf: URL(fileURLWithPath: scratch.file()))
        // The index holds the text first; rows hold it without the tag before it.
        let key = Data([1] + "17xxxx".utf8)
        let found = try #require(bytes.range(of: key))
        bytes[found.lowerBound + 2] = UInt8(ascii: "6")
        try bytes.write(to: URL(fileURLWithPath: scratch.file()))
        #expect(try problems().map(\.kind) == [.file])
    }

    @Test("After many mixed transactions the file opens: its head never counts pages that it lacks")
    func headMatchesLength() throws {
        var random = SeededGenerator(seed: 5)
        let store = try open(LMDBDriver(initialMapSize: 128 << 10))
        var versions: [Int64: UInt32] = [:]
        var next: Int64 = 1
        let person = try #require(model.entity(named: "Person")).index
        for _ in 0..<40 {
            let transaction = try store.beginWrite()
            for _ in 0..<3 {
                var insertion = ChangeSet()
                let count = Int64(random.next() % 60) + 1
                insertion.inserted = try people(next...(next + count), Int(random.next() % 3000))
                for row in insertion.inserted { versions[row.reference] = 1 }
                next += count + 1
                #expect(try transaction.apply(insertion).isEmpty)
                var removal = ChangeSet()
                for reference in versions.keys.sorted() where random.next() % 3 != 0 {
                    removal.deleted.append(RowDeletion(entity: person, reference: reference, expectedVersion: 1))
                    versions[reference] = nil
                }
                #expect(try transaction.apply(removal).isEmpty)
            }
            try transaction.commit()
            // A copy: closing a descriptor of the open file would drop LMDB's locks.
            try run("/bin/cp", [scratch.file(), scratch.file("copy")])
            #expect(try MetaPages.check(scratch.file("copy")) == .sound)
        }
        #expect(try store.fetch(try maker.plan("Person")).map(\.reference) == versions.keys.sorted())
        try store.close()
        #expect(try problems() == [])
    }
}
