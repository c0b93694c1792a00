import StrataStore
import StrataTestRandom
import Testing

@testable import StrataEngine

@Suite("Sorted entries")
struct EntryTreeTests {
    private struct Ascending: EntryOrder {
        func precedes(_ a: Int, _ b: Int) -> Bool { a < b }
    }

    private typealias Tree = EntryTree<Ascending>

    private func entries(_ tree: Tree, _ range: Range<Int>? = nil) -> [Int] {
        var entries: [Int] = []
        tree.forEach(in: range ?? 0..<tree.count) { entry in
            entries.append(entry)
            return true
        }
        return entries
    }

    private func reversedEntries(_ tree: Tree, _ range: Range<Int>) -> [Int] {
        var entries: [Int] = []
        tree.forEachReversed(in: range) { entry in
            entries.append(entry)
            return true
        }
        return entries
    }

    @Test("A tree does what a sorted array does", arguments: [UInt64(1), 2, 3])
    func agreesWithArray(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var tree = Tree()
        var expected: Set<Int> = []
        for step in 0..<30_000 {
            // Grows, then shrinks to nothing and grows again, so that nodes split and join.
            let isShrinking = (step / 10_000) % 2 == 1
            if isShrinking ? step % 8 != 0 : step % 4 == 0, let entry = expected.randomElement(using: &random) {
                tree.remove(entry, Ascending())
                expected.remove(entry)
            } else {
                let entry = Int.random(in: 0..<100_000, using: &random)
                tree.put(entry, Ascending())
                expected.insert(entry)
            }
        }
        let sorted = expected.sorted()
        #expect(tree.count == sorted.count)
        #expect(entries(tree) == sorted)
        for _ in 0..<200 {
            let start = Int.random(in: 0...sorted.count, using: &random)
            let range = start..<Int.random(in: start...sorted.count, using: &random)
            #expect(entries(tree, range) == Array(sorted[range]))
            #expect(reversedEntries(tree, range) == sorted[range].reversed())
            let bound = Int.random(in: 0..<100_000, using: &random)
            #expect(tree.lowerBound { $0 < bound } == sorted.count { $0 < bound })
            #expect((tree.find(bound, Ascending()) != nil) == expected.contains(bound))
            let end = bound + Int.random(in: -10...Int.random(in: 1...2_000, using: &random), using: &random)
            var visited: [Int] = []
            let found = tree.range(from: { $0 < bound }, to: { $0 < end }) { visited += $0 }
            let part = sorted.filter { $0 >= bound && $0 < end }
            #expect(found.positions == sorted.count { $0 < bound }..<(sorted.count { $0 < bound } + part.count))
            #expect(visited == (found.isVisited ? part : []))
        }
    }

    @Test("Entries put in ascending order come back so")
    func ascending() {
        var tree = Tree()
        for entry in 0..<20_000 { tree.put(entry, Ascending()) }
        #expect(entries(tree) == Array(0..<20_000))
        for entry in 0..<20_000 { tree.remove(entry, Ascending()) }
        #expect(tree.count == 0)
        #expect(entries(tree).isEmpty)
        tree.put(7, Ascending())
        #expect(entries(tree) == [7])
    }

    @Test("A tree made of sorted entries holds them", arguments: [0, 1, 95, 96, 97, 9216, 20_001])
    func sorted(count: Int) {
        var tree = Tree(sorted: Array(0..<count))
        #expect(entries(tree) == Array(0..<count))
        tree.put(count, Ascending())
        #expect(entries(tree) == Array(0...count))
    }

    @Test("A copy keeps its entries when the original changes")
    func copiesAreApart() {
        var tree = Tree(sorted: Array(stride(from: 0, to: 40_000, by: 2)))
        let copy = tree
        for entry in stride(from: 0, to: 40_000, by: 40) { tree.remove(entry, Ascending()) }
        for entry in stride(from: 1, to: 40_000, by: 2) { tree.put(entry, Ascending()) }
        #expect(entries(copy) == Array(stride(from: 0, to: 40_000, by: 2)))
        #expect(tree.count == 39_000)
    }

    @Test("A traversal ends where its callback ends it")
    func ends() {
        let tree = Tree(sorted: Array(0..<1000))
        var seen = 0
        tree.forEach(in: 500..<900) { _ in
            seen += 1
            return seen < 150
        }
        #expect(seen == 150)
    }
}
