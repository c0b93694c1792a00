import Dispatch
import Strata
import StrataStore
import Synchronization

/// Reading a store that saves let grow.
enum GrowingCases {
    /// What the threads share.
    private final class Reading: Sendable {
        private let state = Mutex((isOver: false, failures: [String]()))

        var isOver: Bool { state.withLock { $0.isOver } }
        var failures: [String] { state.withLock { $0.failures } }

        func end() { state.withLock { $0.isOver = true } }
        func fail(_ message: String) { state.withLock { $0.failures.append(message) } }
    }

    /// Counts objects until the reading is over: there are never fewer than before.
    private static func count(_ store: any StoreBackend, _ plan: FetchPlan, _ reading: Reading) {
        var last = 0
        while !reading.isOver {
            do {
                guard case .count(let count) = try store.read({ try $0.answer(plan) }) else { return reading.fail("no count") }
                if count < last { return reading.fail("\(count) after \(last)") }
                last = count
            } catch { return reading.fail("\(error)") }
        }
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        // Where LMDB's file grew between two looks at its length it seemed to have been cut: a fetch said that the
        // store was corrupt, and everything was refused from then on.
        ConformanceCase("Threads read on while saves let the store grow", in: .reopen) { environment in
            let stack = try environment.stack(Models.company)
            let (context, store) = (stack.context(), try stack.store())
            let plan = FetchPlan(try unwrap(stack.container.model.entity(named: "Person")), .count)
            let (reading, group) = (Reading(), DispatchGroup())
            for _ in 0..<4 { DispatchQueue.global().async(group: group) { count(store, plan, reading) } }
            defer {
                reading.end()
                group.wait()
            }
            for number in 0..<60 where reading.failures.isEmpty {
                _ = Person(String(repeating: "\(number)", count: 3000), context)
                try context.save()
            }
            try expectEqual(reading.failures, [])
        }
    }
}
