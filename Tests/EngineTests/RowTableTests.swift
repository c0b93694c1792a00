import StrataModel
import StrataStore
import StrataTestRandom
import Testing

@testable import StrataEngine

@Suite("Rows by reference")
struct RowTableTests {
    @Test("A table does what a dictionary does", arguments: [Int64(300), 5000, .max])
    func agreesWithDictionary(greatest: Int64) {
        var random = SeededGenerator(seed: UInt64(bitPattern: greatest))
        var table = RowTable()
        var expected: [Int64: UInt32] = [:]
        for step in UInt32(1)...4000 {
            let known = expected.keys.randomElement(using: &random)
            let reference = if let known, step % 3 == 0 { known } else { Int64.random(in: 1...greatest, using: &random) }
            if step % 5 == 0 {
                #expect(table.remove(reference)?.version == expected.removeValue(forKey: reference))
            } else {
                #expect(table.put(.empty(reference, version: step))?.version == expected.updateValue(step, forKey: reference))
            }
        }
        #expect(table.count == expected.count)
        let inOrder = table.references == expected.keys.sorted()
        #expect(inOrder)
        let hasAll = expected.allSatisfy { table[$0.key]?.version == $0.value }
        #expect(hasAll)
        let bounds: [Int64] = expected.keys.prefix(50).flatMap { [$0 - 1, $0] }
        for first in bounds + [0, greatest] {
            var found: [Int64] = []
            table.forEach(from: first) { row in
                if row.reference >= first { found.append(row.reference) }
                return true
            }
            let areThose = found == expected.keys.filter { $0 >= first }.sorted()
            #expect(areThose)
        }
    }

    @Test("A copy keeps its rows when the original changes")
    func copiesAreApart() {
        var table = RowTable()
        for reference in Int64(1)...200 { table.put(.empty(reference)) }
        let copy = table
        table.remove(17)
        table.put(.empty(18, version: 2))
        table.put(.empty(100_000))
        #expect(copy.references == Array(1...200))
        #expect(copy[18]?.version == 1)
        #expect(table[18]?.version == 2)
        #expect(table[17] == nil)
        #expect(table.count == 200)
    }

    @Test("Nothing is found in an empty table")
    func empty() {
        var table = RowTable()
        #expect(table[1] == nil)
        #expect(table.remove(1) == nil)
        #expect(table[.max] == nil)
    }
}
