import StrataModel
import StrataTestRandom
import Testing

@Suite("Keys of ordered members")
struct OrderKeyTests {
    private func isAscending(_ keys: [OrderKey]) -> Bool { zip(keys, keys.dropFirst()).allSatisfy { $0 < $1 } }

    @Test("Numbered anew, members are apart; behind the last there is room, also where a foreign store dealt the greatest key")
    func dealing() {
        #expect((0..<3).map(OrderKey.init(at:)) == [1024, 2048, 3072])
        #expect(OrderKey(after: nil) == OrderKey(at: 0))
        #expect(OrderKey(after: 1024) == 2048)
        #expect(OrderKey(after: -5) == 1024)
        #expect(OrderKey(after: OrderKey(rawValue: .max - 1)) == .max)
    }

    @Test("New members are numbered apart, and a missing one gives no key")
    func fresh() {
        #expect(OrderKey.assign([]).isEmpty)
        let keys = OrderKey.assign([nil, nil, nil])
        #expect(isAscending(keys))
        #expect(zip(keys, keys.dropFirst()).allSatisfy { $1.rawValue - $0.rawValue > 1 })
    }

    @Test("Keys that ascend stay")
    func stable() { #expect(OrderKey.assign([3, 8, 9]) == [3, 8, 9]) }

    @Test("A member that is put in, in front or behind changes no other key")
    func insertions() {
        #expect(OrderKey.assign([1024, nil, 2048])[0] == 1024)
        #expect(OrderKey.assign([1024, nil, 2048])[2] == 2048)
        #expect(OrderKey.assign([nil, 1024]).last == 1024)
        #expect(OrderKey.assign([1024, nil]).first == 1024)
    }

    @Test("Where there is no room between neighbours all are numbered anew")
    func noRoom() {
        let keys = OrderKey.assign([1, nil, 2])
        #expect(isAscending(keys))
        #expect(keys.count == 3)
        #expect(isAscending(OrderKey.assign([nil, 0, 1])))
    }

    @Test("Whatever the present keys are, extremes and repetitions included, the new ones ascend")
    func anyKeys() {
        var random = SeededGenerator(seed: 70)
        let extremes: [OrderKey?] = [
            nil, .min, OrderKey(rawValue: .min + 1), -1, 0, 1, 2, 1024, OrderKey(rawValue: .max - 1), .max,
        ]
        for _ in 0..<5000 {
            let current = (0..<Int.random(in: 0...8, using: &random)).map { _ in extremes.randomElement(using: &random) ?? nil }
            let keys = OrderKey.assign(current)
            #expect(keys.count == current.count, "\(current)")
            #expect(isAscending(keys), "\(current)")
        }
    }

    @Test("One move or one insertion changes one key as long as there is room", arguments: 71..<76 as Range<UInt64>)
    func fewChange(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let before = OrderKey.assign(Array(repeating: nil, count: Int.random(in: 2...40, using: &random)))
            var moved: [OrderKey?] = before
            let member = moved.remove(at: Int.random(in: 0..<moved.count, using: &random))
            moved.insert(Bool.random(using: &random) ? member : nil, at: Int.random(in: 0...moved.count, using: &random))
            let after = OrderKey.assign(moved)
            #expect(isAscending(after))
            #expect(zip(moved, after).count { $0 != $1 } <= 1, "\(moved)")
        }
    }

    @Test("Hundreds of insertions at one position renumber seldom")
    func amortised() {
        var keys = OrderKey.assign([nil, nil])
        var changed = 0
        for _ in 0..<200 {
            var next: [OrderKey?] = keys
            next.insert(nil, at: 1)
            keys = OrderKey.assign(next)
            changed += zip(next, keys).count { $0 != $1 }
        }
        #expect(isAscending(keys))
        #expect(changed < 200 * 20)
    }
}
