import StrataModel
import StrataTestRandom
import Testing

@testable import StrataGraph

@Suite("Orders of destinations")
struct MemberOrderTests {
    private let scope: ObjectIDScope

    init() throws {
        let model = try ManagedObjectModel { Entity("Item") { Attribute("name", .string) } }
        scope = ObjectIDScope(storeID: "A", entity: model.entities[0])
    }

    private func ids(_ references: some Sequence<Int>) -> [ObjectID] {
        references.map { ObjectID(scope: scope, reference: Int64($0)) }
    }

    @Test("An order holds what an array holds, whatever is done to it", arguments: [5, 300, 2_000])
    func oracle(count: Int) {
        var random = SeededGenerator.printed("orders of \(count)")
        let saved = ids(0..<count)
        var (order, expected) = (MemberOrder(saved: saved, current: saved), saved)
        var absent = ids(count..<2 * count)
        for _ in 0..<RunSeed.trials(600, soak: 10_000) {
            let index = Int.random(in: 0...expected.count, using: &random)
            let isInside = index < expected.count
            switch Int.random(in: 0..<12, using: &random) {
            case 0...2 where isInside:
                absent.append(expected.remove(at: index))
                order.remove(absent[absent.count - 1])
            case 3 where !absent.isEmpty:
                expected.append(absent.removeLast())
                order.append(expected[expected.count - 1])
            case 4 where !absent.isEmpty:
                let id = absent.remove(at: Int.random(in: absent.indices, using: &random))
                expected.insert(id, at: index)
                order.insert(id, at: index)
            case 5...7 where !absent.isEmpty:
                let id = absent.remove(at: Int.random(in: absent.indices, using: &random))
                let present = Set(expected)
                let anchor = saved.prefix { $0 != id }.last(where: present.contains)
                expected.insert(id, at: anchor.flatMap(expected.firstIndex).map { $0 + 1 } ?? 0)
                order.restore(id)
            case 8 where isInside:
                let found = order.index(of: expected[index])
                #expect(found == index)
            case 9 where isInside:
                let found = order[index]
                #expect(found == expected[index])
            case 10 where Int.random(in: 0..<50, using: &random) == 0:
                expected = Bool.random(using: &random) ? saved : expected.reversed()
                absent = ids(0..<2 * count).filter { !Set(expected).contains($0) }
                order.replace(with: expected)
            default:
                let isAsSaved = order.isAsSaved
                #expect(isAsSaved == (expected == saved))
            }
            #expect(order.count == expected.count)
            if Int.random(in: 0..<40, using: &random) == 0 { #expect(order.ids == expected) }
            if Int.random(in: 0..<40, using: &random) == 0 {
                let listed = order.listIDs()
                #expect(listed == expected)
            }
        }
        #expect(order.ids == expected)
    }

    @Test("The nearest position before one is found across words and levels")
    func positions() {
        var random = SeededGenerator.printed("positions")
        for bound in [1, 63, 64, 65, 4_096, 5_000] {
            var (set, expected) = (PositionSet(below: bound), Set<Int>())
            for _ in 0..<400 {
                let position = Int.random(in: 0..<bound, using: &random)
                if Int.random(in: 0..<3, using: &random) == 0 {
                    set.insert(position)
                    expected.insert(position)
                } else {
                    set.remove(position)
                    expected.remove(position)
                }
                let end = Int.random(in: 0...bound, using: &random)
                #expect(set.last(before: end) == expected.filter { $0 < end }.max())
            }
        }
    }
}
