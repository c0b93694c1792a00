import StrataModel
import StrataTestRandom
import Testing

@Suite("Keys of ordered members")
struct OrderKeysTests {
    private func isAscending(_ keys: [Int64]) -> Bool { zip(keys, keys.dropFirst()).allSatisfy { $0 < $1 } }

    @Test("Numbered anew, members are apart; behind the last there is room, also where a foreign store dealt the greatest key")
    func dealing() {
        #expect((0..<3).map(OrderKeys.key(at:)) == [1024, 2048, 3072])
        #expect(OrderKeys.key(after: nil) == OrderKeys.key(at: 0))
        #expect(OrderKeys.key(after: 1024) == 2048)
        #expect(OrderKeys.key(after: -5) == 1024)
        #expect(OrderKeys.key(after: .max - 1) == .max)
    }

    @Test("New members are numbered apart, and nobody gives no key")
    func fresh() {
        #expect(OrderKeys.assign([]).isEmpty)
        let keys = OrderKeys.assign([nil, nil, nil])
        #expect(isAscending(keys) && zip(keys, keys.dropFirst()).allSatisfy { $1 - $0 > 1 })
    }

    @Test("Keys that ascend stay")
    func stable() { #expect(OrderKeys.assign([3, 8, 9]) == [3, 8, 9]) }

    @Test("A member that is put in, in front or behind changes no other key")
    func insertions() {
        #expect(OrderKeys.assign([1024, nil, 2048])[0] == 1024 && OrderKeys.assign([1024, nil, 2048])[2] == 2048)
        #expect(OrderKeys.assign([nil, 1024]).last == 1024 && OrderKeys.assign([1024, nil]).first == 1024)
    }

    @Test("Where there is no room between neighbours all are numbered anew")
    func noRoom() {
        let keys = OrderKeys.assign([1, nil, 2])
        #expect(isAscending(keys) && keys.count == 3)
        #expect(isAscending(OrderKeys.assign([nil, 0, 1])))
    }

    @Test("Whatever the present keys are, extremes and repetitions included, the new ones ascend")
    func anyKeys() {
        var random = SeededGenerator(seed: 70)
        let extremes: [Int64?] = [nil, .min, .min + 1, -1, 0, 1, 2, 1024, .max - 1, .max]
        for _ in 0..<5000 {
            let current = (0..<Int.random(in: 0...8, using: &random)).map { _ in extremes.randomElement(using: &random) ?? nil }
            let keys = OrderKeys.assign(current)
            #expect(keys.count == current.count && isAscending(keys), "\(current)")
        }
    }

    @Test("One move or one insertion changes one key as long as there is room", arguments: 71..<76 as Range<UInt64>)
    func fewChange(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let before = OrderKeys.assign(Array(repeating: nil, count: Int.random(in: 2...40, using: &random)))
            var moved: [Int64?] = before
            let member = moved.remove(at: Int.random(in: 0..<moved.count, using: &random))
            moved.insert(Bool.random(using: &random) ? member : nil, at: Int.random(in: 0...moved.count, using: &random))
            let after = OrderKeys.assign(moved)
            #expect(isAscending(after))
            #expect(zip(moved, after).count { $0 != $1 } <= 1, "\(moved)")
        }
    }

    @Test("Hundreds of insertions at one place renumber seldom")
    func amortised() {
        var keys = OrderKeys.assign([nil, nil])
        var changed = 0
        for _ in 0..<200 {
            var next: [Int64?] = keys
            next.insert(nil, at: 1)
            keys = OrderKeys.assign(next)
            changed += zip(next, keys).count { $0 != $1 }
        }
        #expect(isAscending(keys) && changed < 200 * 20)
    }
}
