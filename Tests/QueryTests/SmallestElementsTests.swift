import StrataEvaluation
import StrataTestRandom
import Testing

@Suite("The first elements of a sorted sequence")
struct SmallestElementsTests {
    @Test("They are those of the sorted sequence, however many are asked for")
    func oracle() {
        var random = SeededGenerator.printed("smallest elements")
        for count in [0, 1, 2, 7, 100] {
            let numbers = (0..<count).map { (value: Int.random(in: 0..<20, using: &random), index: $0) }
            func precedes(_ a: (value: Int, index: Int), _ b: (value: Int, index: Int)) -> Bool { (a.value, a.index) < (b.value, b.index) }
            let sorted = numbers.sorted(by: precedes)
            for limit in [-1, 0, 1, 2, 3, 50, 99, 100, 101] {
                let found = numbers.smallest(limit, by: precedes)
                #expect(found.map(\.index) == sorted.prefix(max(0, limit)).map(\.index))
            }
        }
    }

    @Test("A short start of a long sequence takes about one comparison for each element")
    func comparisons() {
        var random = SeededGenerator.printed("comparisons")
        let numbers = (0..<20_000).map { ($0 &* 7_919 % 20_011) }.shuffled(using: &random)
        var comparisons = 0
        let found = numbers.smallest(10) { a, b in
            comparisons += 1
            return a < b
        }
        #expect(found == Array(numbers.sorted().prefix(10)))
        #expect(comparisons < 25_000)
    }
}
