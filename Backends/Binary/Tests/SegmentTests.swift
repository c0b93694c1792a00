import Foundation
import StrataEngine
import StrataFiles
import StrataFilesTesting
import StrataModel
import StrataPlatform
import StrataStore
import StrataTestModels
import StrataTestRandom
import StrataTestSupport
import Testing

@testable import StrataBinary

@Suite("Saves that are appended to a binary store's file") struct SegmentTests {
    @Test("A file has what its store has after each save of any kind, and after it was closed")
    func everySave() throws {
        let walk = try SaveWalk(seed: RunSeed.value)
        var appended = 0
        for step in 0..<60 {
            let before = try walk.site.bytes()
            try walk.step()
            let after = try walk.site.bytes()
            if try walk.segments(of: after) > walk.segments(of: before) { appended += 1 }
            #expect(try walk.picture(of: after) == walk.picture(), "seed \(RunSeed.value), step \(step)")
        }
        #expect(appended > 40)
        let last = try walk.picture()
        try walk.store.close()
        #expect(try walk.segments(of: walk.site.bytes()) == 0)
        #expect(try walk.picture(of: walk.site.bytes()) == last)
    }

    @Test("What an interrupted save left behind the last one does not count, and the next one is written over it")
    func interruptedSaves() throws {
        let walk = try SaveWalk(seed: 5)
        for _ in 0..<3 { try walk.step() }
        let (before, old) = (try walk.site.bytes(), try walk.picture())
        try walk.step()
        let (after, new) = (try walk.site.bytes(), try walk.picture())
        let records = try walk.records(of: before)
        // Without its commit record, whatever was written of the segment.
        for length in stride(from: before.count, through: after.count, by: RunSeed.isSoak ? 1 : 5) {
            #expect(try walk.picture(of: before + after[before.count..<length]) == old, "\(length)")
        }
        // The write of the record was interrupted: its segment was synchronized before.
        let record = try #require(records.first { after[$0] != before[$0] })
        for torn in record {
            var file = before[..<torn] + after[torn...]
            if file[record] != before[record] && file[record] != after[record] {
                #expect(try walk.picture(of: Array(file)) == new, "\(torn)")
            }
            file[record] = after[record.lowerBound..<torn] + before[torn..<record.upperBound]
            if file[record] != before[record] && file[record] != after[record] {
                #expect(try walk.picture(of: Array(file)) == new, "\(torn)")
            }
        }
        // The next save after a torn record overwrites that one, not the other.
        var file = after
        file[record.lowerBound] ^= 0xFF
        let next = try SaveWalk(seed: 6, file: file)
        #expect(try next.picture() == new)
        try next.save { $0.inserted = [try next.row("Person", 9_000, name: "later")] }
        let saved = try next.site.bytes()
        let kept = try #require(records.first { $0 != record })
        #expect(saved[kept] == before[kept])
        #expect(try next.picture(of: saved) == next.picture())
        // What an interrupted save left is longer than the next one.
        let other = try SaveWalk(seed: 6, file: before + Array(repeating: 0xAB, count: 3_001))
        #expect(try other.picture() == old)
        for reference: Int64 in 9_000...9_002 {
            try other.save { $0.inserted = [try other.row("Person", reference, name: "later")] }
            let over = try other.site.bytes()
            #expect(over.count == before.count + 3_001)
            #expect(try other.picture(of: over) == other.picture())
        }
    }

    @Test("Each changed byte of a file with appended saves gives what was saved, or corrupt, and each length that it is cut to is noticed")
    func damagedSaves() throws {
        let walk = try SaveWalk(seed: 7)
        for _ in 0..<4 { try walk.step() }
        let bytes = try walk.site.bytes()
        let known = try walk.picture()
        let records = try walk.records(of: bytes)
        let start = try walk.list(bytes).end.start
        var (refused, sound) = (0, 0)
        for index in stride(from: 0, to: bytes.count, by: RunSeed.isSoak ? 1 : 17) {
            for change: UInt8 in [4, 0xFF, bytes[index]] where change != 0 {
                var damaged = bytes
                damaged[index] ^= change
                var found: String?
                let error = try storeError { found = try walk.picture(of: damaged) }
                if let error {
                    refused += 1
                    try #require(Damage.codes.contains(error.code), "byte \(index): \(error)")
                    if index >= start { #expect(error.message == "checksum mismatch in a segment") }
                } else {
                    sound += 1
                    #expect(found == known, "byte \(index)")
                    #expect(records.contains { $0.contains(index) }, "byte \(index)")
                }
            }
        }
        #expect(refused > 50)
        #expect(sound > 0)
        for length in stride(from: 1, to: bytes.count, by: RunSeed.isSoak ? 1 : 17) {
            let error = try storeError { _ = try walk.picture(of: Array(bytes[..<length])) }
            try #require(error.map { Damage.codes.contains($0.code) } == true, "length \(length): \(String(describing: error))")
        }
        var damaged = bytes
        for record in records { damaged[record.lowerBound] ^= 1 }
        #expect(try storeError { _ = try walk.picture(of: damaged) }?.message == "checksum mismatch in the commit records")
        damaged = bytes
        damaged[try #require(records.last { walk.number($0, bytes) == 3 }).lowerBound] ^= 1
        #expect(try storeError { _ = try walk.picture(of: damaged) }?.message == "checksum mismatch in the commit records")
    }

    @Test("A file that the process may not write to is replaced by each save")
    func unwritableFile() throws {
        let disk = MemoryFileSystem(directories: ["/d"])
        let model = try AtomicModels.shapes.get()
        func open(_ files: any FileSystem) throws -> any StoreBackend {
            let driver = BinaryDriver(BinaryCodec(fileSystem: files), fileSystem: files)
            return try driver.open(StoreDescription(driver, path: "/d/Store.binary"), model: model)
        }
        try open(disk).close()
        let files = FaultInjectingFileSystem(base: disk)
        var replaced = 0
        for call in 1...20 {
            files.plan = FaultPlan(failing: call, with: .error(EACCES), operations: [.open])
            guard let store = try? open(files) else { continue }
            files.plan = .none
            let inode = try disk.status(of: "/d/Store.binary").inode
            let transaction = try store.beginWrite()
            _ = try transaction.reserveReferences(3, root: try #require(model.entity(named: "Note")).root)
            try transaction.commit()
            if try disk.status(of: "/d/Store.binary").inode != inode { replaced += 1 }
            try store.close()
        }
        #expect(replaced == 1)
    }

    @Test("A file is written as a whole when its segments become longer than the rest of it")
    func compaction() throws {
        let walk = try SaveWalk(seed: 8)
        var counts: [Int] = []
        for reference in 1...40 {
            let row = try walk.row("Person", 10_000 + Int64(reference), name: String(repeating: "n", count: 5_000))
            try walk.save { $0.inserted = [row] }
            let bytes = try walk.site.bytes()
            counts.append(try walk.segments(of: bytes))
            let list = try walk.list(bytes)
            #expect(bytes.count - list.end.start <= max(list.end.start, 64 << 10))
        }
        #expect(counts.contains(0))
        #expect(counts.max() ?? 0 > 10)
        #expect(try walk.picture(of: walk.site.bytes()) == walk.picture())
    }

    @Test("Another coordinator finds saves that were appended, and appends its own")
    func twoStores() throws {
        let walk = try SaveWalk(seed: 9)
        let other = try SaveWalk(seed: 10, sharing: walk.site)
        for _ in 0..<5 {
            try walk.step()
            try (other.store as? any SharedStore)?.refresh()
            #expect(try other.picture() == walk.picture())
            let length = try walk.site.bytes().count
            try other.save { $0.metadata = try other.store.metadata() }
            #expect(try walk.site.bytes().count > length)
            try (walk.store as? any SharedStore)?.refresh()
            #expect(try other.picture() == walk.picture())
        }
        let last = try walk.picture()
        try walk.store.close()
        try (other.store as? any SharedStore)?.refresh()
        try other.store.close()
        #expect(try walk.picture(of: walk.site.bytes()) == last)
    }

    @Test("A file of version 1 is read, and saved as one of version 2")
    func olderVersion() throws {
        let walk = try SaveWalk(seed: 11)
        for _ in 0..<6 { try walk.step() }
        let known = try walk.picture()
        try walk.store.close()
        let old = WholeVersion.file(try walk.site.bytes())
        #expect(old[8] == 1)
        let other = try SaveWalk(seed: 12, file: old)
        let found = try other.picture()
        // The older version has the history in the metadata, which this file does not.
        func withoutHistory(_ picture: String) -> [String] {
            picture.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("record") }
        }
        #expect(withoutHistory(found) == withoutHistory(known))
        try other.step()
        #expect(try other.site.bytes()[8] == 2)
        #expect(try other.picture(of: other.site.bytes()) == other.picture())
    }

    @Test("Metadata that are set without a model keep the saves, and those keep their metadata")
    func metadata() throws {
        let walk = try SaveWalk(seed: 13)
        for _ in 0..<4 { try walk.step() }
        let bytes = try walk.site.bytes()
        let site = try ScratchFile()
        try site.put(bytes)
        let driver = BinaryDriver(BinaryCodec())
        var metadata = try driver.metadata(at: site.path)
        metadata.userInfo["mine"] = .int(7)
        try driver.setMetadata(metadata, ofFileAt: site.path)
        #expect(try driver.metadata(at: site.path).userInfo["mine"] == .int(7))
        let changed = try SaveWalk(seed: 14, file: try site.bytes())
        #expect(try changed.picture() == walk.picture() + "\nmine 7")
        try changed.step()
        #expect(try changed.picture(of: changed.site.bytes()) == changed.picture())
    }
}
