import StrataModel
import StrataTestRandom
import Testing

@Suite("Numbers of temporary references")
struct TemporaryTableTests {
    private func table(of references: [Int64]) -> TemporaryTable {
        var extent = TemporaryTable.Extent()
        for reference in references { extent.add(reference) }
        return TemporaryTable(extent)
    }

    @Test("References that ascend with their numbers are found, and their neighbours are not")
    func run() {
        var table = table(of: Array(-9 ... -5))
        for index in 0..<5 as Range<Int64> { table[-9 + index] = 100 + index }
        #expect((-11 ... -3).map { table[$0] } == [nil, nil, 100, 101, 102, 103, 104, nil, nil])
    }

    @Test("A table without temporary references is empty, and holds what it is given all the same")
    func empty() {
        var table = table(of: [7])
        #expect(table.isEmpty)
        table[-3] = 1
        table[-1] = 5
        #expect([-3, -2, -1].map { table[$0] } == [1, nil, 5])
    }

    @Test(
        "A table holds what a dictionary does, whether runs, gaps or outliers are added",
        arguments: [[0], [1, 0, 0], [3, 1, 2], [1_000, 0, 1]] as [[Int64]])
    func oracle(_ gaps: [Int64]) {
        var random = SeededGenerator.printed("temporary references with gaps of \(gaps)")
        var references: [Int64] = []
        var next = Int64.min + 1
        for _ in 0..<60 {
            references.append(next)
            next += 1 + (gaps.randomElement(using: &random) ?? 0)
        }
        var (table, expected) = (table(of: references), [:] as [Int64: Int64])
        var number: Int64 = 1
        for reference in references {
            (table[reference], expected[reference]) = (number, number)
            number += gaps.randomElement(using: &random) == 0 ? 1 : 2
        }
        for reference in (references[0] - 1)...(references[59] + 2) where expected[reference] != table[reference] {
            Issue.record("\(reference) has \(table[reference] ?? -1)")
        }
    }
}
