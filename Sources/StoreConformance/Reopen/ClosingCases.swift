import Dispatch
import Strata
import StrataStore
import Synchronization

/// Closing a store while others are at work with it.
enum ClosingCases {
    /// What threads that read and save in a loop came to.
    private struct Work: Sendable {
        var acknowledged: Int64 = 0
        var failures: [String] = []
    }

    /// Reads and saves until the store is closed.
    private static func use(_ store: any StoreBackend, _ entity: EntityDescription, reading: Bool, _ work: borrowing Mutex<Work>) {
        let end = ContinuousClock.now + ConformanceEnvironment.waitLimit
        while ContinuousClock.now < end {
            do {
                if reading {
                    let answer = try store.read { try $0.answer(FetchPlan(entity, .count)) }
                    guard case .count(0) = answer else { return work.withLock { $0.failures.append("\(answer)") } }
                } else {
                    let transaction = try store.beginWrite()
                    let reference = try transaction.reserveReferences(1, root: entity.root)
                    try transaction.prepare()
                    try transaction.commit()
                    work.withLock { $0.acknowledged = max($0.acknowledged, reference) }
                }
            } catch let error as StoreError where error.code == .closed {
                return
            } catch {
                return work.withLock { $0.failures.append("\(error)") }
            }
        }
        work.withLock { $0.failures.append("the store never closed") }
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        // LMDB's memory was freed under a save that had just committed, which ended the process.
        ConformanceCase("A store can be closed while other threads read and save", in: .reopen) { environment in
            let entity = try unwrap(Models.items.get().entity(named: "Item"))
            var acknowledged: Int64 = 0
            for round in 0..<20 {
                let store = try environment.stack(Models.items).store()
                let transaction = try store.beginWrite()
                let next = try transaction.reserveReferences(1, root: entity.root)
                transaction.rollback()
                try expect(!environment.harness.isPersistent || next > acknowledged, "\(next) was given out before: \(acknowledged)")
                let work = WorkBox()
                let group = DispatchGroup()
                for number in 0..<4 {
                    DispatchQueue.global().async(group: group) { use(store, entity, reading: number < 2, work.work) }
                }
                _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .microseconds(round * 97 % 3000))
                try store.close()
                try expectStoreError(.closed) { try store.read { _ in } }
                group.wait()
                let result = work.work.withLock { $0 }
                try expectEqual(result.failures, [])
                acknowledged = max(acknowledged, result.acknowledged)
            }
        }
    }

    /// Keeps what the threads share.
    private final class WorkBox: Sendable {
        let work = Mutex(Work())
    }
}
