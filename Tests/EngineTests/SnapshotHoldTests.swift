import Dispatch
import StrataEngine
import Synchronization
import Testing

@Suite("What held snapshots need")
struct SnapshotHoldTests {
    private struct Ended: Error {}

    /// What was given back, in order.
    private final class Released: Sendable {
        let all = Mutex<[Int]>([])
        var values: [Int] { all.withLock { $0 } }
        func add(_ value: Int) { all.withLock { $0.append(value) } }
    }

    @Test("It is returned once: when nothing references it any more, or when its store ends it")
    func release() throws {
        let released = Released()
        let holds = SnapshotHolds<Int>()
        var first: SnapshotHold<Int>? = holds.hold(1) { released.add($0) }
        let second = holds.hold(2) { released.add($0) }
        #expect(try first?.use(orThrow: Ended()) { $0 } == 1)
        first = nil
        #expect(released.values == [1])
        holds.end()
        holds.end()
        #expect(released.values == [1, 2])
        #expect(throws: Ended.self) { try second.use(orThrow: Ended()) { $0 } }
        // Who comes after the end holds nothing.
        let late = holds.hold(3) { released.add($0) }
        #expect(throws: Ended.self) { try late.use(orThrow: Ended()) { $0 } }
        #expect(released.values == [1, 2, 3])
    }

    @Test("An end that comes while it is used takes effect behind the use, which it does not wait for without end")
    func endInUse() throws {
        let released = Released()
        let holds = SnapshotHolds<Int>()
        let hold = holds.hold(1) { released.add($0) }
        try hold.use(orThrow: Ended()) { _ in
            holds.end()
            #expect(released.values.isEmpty)
        }
        #expect(released.values == [1])
    }

    @Test("One thread at a time uses it")
    func turns() {
        let hold = SnapshotHolds<Int>().hold(1)
        let inside = Atomic(0)
        let most = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<100 {
                try? hold.use(orThrow: Ended()) { _ in
                    most.max(inside.add(1, ordering: .sequentiallyConsistent).newValue, ordering: .sequentiallyConsistent)
                    inside.subtract(1, ordering: .sequentiallyConsistent)
                }
            }
        }
        #expect(most.load(ordering: .sequentiallyConsistent) == 1)
    }
}
