import StrataModel
import StrataStore
import StrataTestRandom
import Synchronization
import Testing

@testable import StrataEngine

@Suite("Rows of a file by reference")
struct RowBlockTests {
    /// Rows in memory, in blocks as a file has them.
    private final class Blocks: RowBlockSource {
        private let blocks: [(key: UInt64, rows: ContiguousArray<Row>)]
        private let damaged: Set<Int>
        let reads = Atomic(0)

        init(_ references: [Int64], damaged: Set<Int> = []) {
            var blocks: [(key: UInt64, rows: ContiguousArray<Row>)] = []
            for reference in references {
                let key = UInt64(reference) >> 6
                if blocks.last?.key != key { blocks.append((key, [])) }
                blocks[blocks.count - 1].rows.append(.empty(reference))
            }
            (self.blocks, self.damaged) = (blocks, damaged)
        }

        var blockCount: Int { blocks.count }

        func references(ofBlock index: Int) -> (key: UInt64, bitmap: UInt64) {
            (blocks[index].key, blocks[index].rows.reduce(0) { $0 | 1 << (UInt64($1.reference) & 63) })
        }

        func rows(ofBlock index: Int) throws -> ContiguousArray<Row> {
            reads.add(1, ordering: .relaxed)
            if damaged.contains(index) { throw StoreError(.corrupt, .open, "checksum mismatch in a block of rows") }
            return blocks[index].rows
        }
    }

    @Test("A table over blocks does what one of the same rows does", arguments: [Int64(60), 300, 5000, 1 << 40, .max])
    func agreement(greatest: Int64) {
        var random = SeededGenerator(seed: UInt64(bitPattern: greatest))
        let found = Set((0..<600).map { _ in Int64.random(in: 1...greatest, using: &random) }).sorted()
        var table = RowTable(Blocks(found), TableDamage(path: nil))
        var expected = RowTable()
        for reference in found { expected.put(.empty(reference)) }
        let copy = table
        #expect(table.count == expected.count)
        for step in UInt32(1)...2000 {
            let isKnown = Bool.random(using: &random)
            let reference = isKnown ? found.randomElement(using: &random) ?? 1 : Int64.random(in: 1...greatest, using: &random)
            #expect(table[reference]?.version == expected[reference]?.version)
            if step % 3 == 0 {
                #expect(table.remove(reference)?.version == expected.remove(reference)?.version)
            } else {
                let row = Row.empty(reference, version: step)
                #expect(table.put(row)?.version == expected.put(row)?.version)
            }
        }
        #expect(table.count == expected.count)
        #expect(table.references == expected.references)
        #expect(copy.references == found)
    }

    @Test("Only the blocks of the rows that are asked for are read, each once")
    func reads() {
        let blocks = Blocks(Array(1...1000))
        let table = RowTable(blocks, TableDamage(path: nil))
        #expect(table.count == 1000)
        #expect(blocks.reads.load(ordering: .relaxed) == 0)
        #expect(table[70]?.reference == 70)
        #expect(table[71]?.reference == 71)
        #expect(table[2_000] == nil)
        #expect(blocks.reads.load(ordering: .relaxed) == 1)
        #expect(table.references == Array(1...1000))
        #expect(blocks.reads.load(ordering: .relaxed) == 16)
    }

    @Test("A damaged block leaves no row, and the error for the operation")
    func damage() throws {
        let damage = TableDamage(path: nil)
        var table = RowTable(Blocks(Array(1...200), damaged: [1]), damage)
        #expect(table[1]?.reference == 1)
        try damage.check()
        #expect(table[64] == nil)
        #expect(throws: StoreError.self) { try damage.check() }
        #expect(table.references == Array(1...63) + Array(128...200))
        #expect(table.remove(65) == nil)
        table.put(.empty(65))
        #expect(table[65]?.reference == 65)
    }
}
