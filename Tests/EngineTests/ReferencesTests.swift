import StrataStore
import StrataTestRandom
import Testing

@testable import StrataEngine

@Suite("References in order")
struct ReferencesTests {
    @Test(
        "References come upward, however many and however large", arguments: [0, 1, 256, 257, 5_000], [Int64(100), 5_000, 3_000_000, .max])
    func sorted(count: Int, greatest: Int64) {
        var random = SeededGenerator(seed: UInt64(count))
        let references = (0..<count).map { _ in Int64.random(in: 0...greatest, using: &random) }
        let isUpward = references.sortedUpward() == references.sorted()
        let isUnique = references.sortedUniquely() == Set(references).sorted()
        #expect(isUpward)
        #expect(isUnique)
    }

    @Test("Numbers below zero come first")
    func negative() {
        var random = SeededGenerator(seed: 5)
        let numbers = (0..<500).map { _ in Int64.random(in: -50...50, using: &random) }
        let isUpward = numbers.sortedUpward() == numbers.sorted()
        #expect(isUpward)
    }
}
