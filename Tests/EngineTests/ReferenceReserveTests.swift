import StrataEngine
import StrataModel
import Testing

@Suite("References set aside")
final class ReferenceReserveTests {
    private let root: EntityIndex = 0
    private var reserve = ReferenceReserve()

    private func take(_ count: Int) -> Int64? { reserve.take(count, root: root) }

    private func refill(_ count: Int, after last: Int64) -> (first: Int64, last: Int64)? { reserve.refill(count, root: root, after: last) }

    private func note(_ reference: Int64, root: EntityIndex = 0) -> Bool { reserve.note(reference, root: root) }

    @Test("References are given out once each, in ranges, and never behind the counter")
    func ranges() throws {
        var (counter, last): (Int64, Int64) = (7, 7)
        var refills = 0
        for count in [1, 1, 3, 1, 1, 1, 200, 1, 2, 1, 1, 50, 1, 1] {
            var first = take(count)
            if first == nil {
                let references = try #require(refill(count, after: counter))
                #expect(references.last >= counter)
                (counter, first) = (references.last, references.first)
                refills += 1
            }
            #expect(first == last + 1)
            last += Int64(count)
            #expect(last <= counter)
        }
        #expect(refills < 10)
    }

    @Test("The first time no more is set aside than is asked for")
    func first() {
        #expect(take(1) == nil)
        #expect(refill(5, after: 0)?.last == 5)
        #expect(take(1) == nil)
    }

    @Test("What a counter that others moved left behind is not given out")
    func others() throws {
        _ = refill(1, after: 0)
        let second = try #require(refill(1, after: 1))
        #expect(second.last > second.first)
        #expect(refill(500, after: 1_000)?.first == 1_001)
    }

    @Test("A reference in use is not given out again, also where it was set aside")
    func used() throws {
        _ = refill(1, after: 0)
        let references = try #require(refill(1, after: 1))
        #expect(note(references.first))
        #expect(note(references.last))
        #expect(take(1) == nil)
        #expect(!note(references.last + 1))
        #expect(!note(1))
        #expect(!note(1, root: 1))
    }

    @Test("A store without references left says so", arguments: [Int64.max, Int64.max - 1, Int64.max - 100])
    func none(last: Int64) {
        #expect(refill(200, after: last) == nil)
        #expect(refill(.max, after: 1) == nil)
    }
}
