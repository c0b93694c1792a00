import Strata
import StrataTestRandom
import Testing

@testable import StrataGraph

@Suite("Merging two orders that were made of one")
struct OrderMergeTests {
    @Test("An order that did not change gives way to the other")
    func unchanged() {
        #expect(OrderMerge.merge(base: [1, 2, 3], mine: [1, 3], theirs: [3, 9, 1]) == [3, 9, 1])
        #expect(OrderMerge.merge(base: [1, 2, 3], mine: [3, 9, 1], theirs: [1, 3]) == [3, 9, 1])
        #expect(OrderMerge.merge(base: [], mine: [7], theirs: [8]) == [8, 7])
    }

    @Test("Added members stand behind what they stood behind, at the beginning, and at the end behind theirs")
    func additions() {
        #expect(OrderMerge.merge(base: [1, 2], mine: [5, 1, 6, 2, 7], theirs: [1, 2, 8]) == [5, 1, 6, 2, 8, 7])
        #expect(OrderMerge.merge(base: [1, 2], mine: [1, 6, 2], theirs: [2, 1]) == [2, 1, 6])
    }

    @Test("Each member of both is there once, and what was moved here stays so", arguments: 0..<50 as Range<UInt64>)
    func laws(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let base = Array(0..<Int.random(in: 0..<8, using: &random))
        func change(_ new: Range<Int>) -> [Int] {
            var order = base.filter { _ in Int.random(in: 0..<5, using: &random) > 0 }
            if Bool.random(using: &random) { order.shuffle(using: &random) }
            for member in new where Bool.random(using: &random) {
                order.insert(member, at: Int.random(in: 0...order.count, using: &random))
            }
            return order
        }
        let (changed, other) = (change(10..<13), change(20..<23))
        // As a relationship does: what either removed is in neither.
        let mine = changed.filter { $0 >= base.count || other.contains($0) }
        let theirs = other.filter { $0 >= base.count || changed.contains($0) }
        let merged = OrderMerge.merge(base: base, mine: mine, theirs: theirs)
        #expect(merged.sorted() == Set(mine + theirs).sorted())
        let shared = base.filter { mine.contains($0) && theirs.contains($0) }
        let isMoved = mine.filter(shared.contains) != shared
        #expect(merged.filter((isMoved ? mine : theirs).contains) == (isMoved ? mine : theirs))
    }

    @Test("New members that get permanent IDs while their relationship is loaded anew keep their places")
    func permanentIDs() throws {
        let writer = try Zoo.context()
        let ann = writer.person("Ann")
        ann[Person.tasks] = [Job(context: writer), Job(context: writer)]
        try writer.save()
        let context = writer.sibling()
        let here = try context.here(ann)
        let new = Job(context: context)
        here.add(new, to: Person.tasks, at: 0)
        context.refresh(here, mergeChanges: true)
        try context.obtainPermanentIDs(for: [new])
        #expect(here[Person.tasks].count == 3)
        #expect(here[Person.tasks].first === new)
        try context.save()
        let stored = try context.elsewhere { try $0.here(ann)[Person.tasks].map(\.objectID) }
        #expect(stored.first == new.objectID)
        #expect(stored.count == 3)
    }
}
