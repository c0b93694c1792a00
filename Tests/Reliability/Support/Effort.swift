import Dispatch
import Foundation
import StrataTestRandom
import Synchronization
import Testing

/// How much is tried: a seeded sample in each run of the tests, all of it with `STRATA_SOAK=1`.
enum Effort {
    static var isSoak: Bool { RunSeed.isSoak }

    /// A number for a sample, or for a soak.
    static func count(_ sample: Int, soak: Int) -> Int { isSoak ? soak : sample }

    /// The random numbers of a test: they depend on the seed of the run and on the test.
    static func random(_ name: String) -> SeededGenerator {
        SeededGenerator(seed: name.utf8.reduce(RunSeed.value) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 })
    }
}

/// Does something for each of many cases, on two processors, each with a worker of its own, and reports what was violated.
///
/// - Parameter check: What is wrong with a case; nothing where it is as promised.
/// - Returns: How many cases were tried.
@discardableResult
func tryEach<Case: Sendable & CustomStringConvertible>(
    _ name: String,
    _ cases: [Case],
    wrapper: [String] = [],
    check: @Sendable (WorkerClient, Case) throws -> [String]
) -> Int {
    let next = Atomic(0)
    let violations = Mutex<[String]>([])
    let start = ContinuousClock.now
    DispatchQueue.concurrentPerform(iterations: min(2, ProcessInfo.processInfo.activeProcessorCount)) { _ in
        do {
            var client = try WorkerClient(wrapper: wrapper)
            while true {
                let index = next.add(1, ordering: .relaxed).oldValue
                guard index < cases.count else { return }
                do {
                    let found = try check(client, cases[index])
                    if !found.isEmpty { violations.withLock { $0.append("\(cases[index]): \(found.joined(separator: "; "))") } }
                } catch {
                    violations.withLock { $0.append("\(cases[index]): \(error)") }
                    client = try WorkerClient(wrapper: wrapper)
                }
                if Effort.isSoak, index % 500 == 499 { print("\(name): \(index + 1) of \(cases.count), \(ContinuousClock.now - start)") }
            }
        } catch {
            violations.withLock { $0.append("no worker: \(error)") }
        }
    }
    let found = violations.withLock { $0 }
    print("\(name): \(cases.count) tried in \(ContinuousClock.now - start), \(found.count) violated, seed=\(RunSeed.value)")
    let (known, new) = (found.filter { KnownGap.of($0) != nil }, found.filter { KnownGap.of($0) == nil })
    for violation in known { print("\(name): known gap, \(KnownGap.of(violation)?.reason ?? ""): \(violation)") }
    for violation in new.prefix(10) { Issue.record("\(name): \(violation) (RELIABILITY_SEED=\(RunSeed.value))") }
    if new.count > 10 { Issue.record("\(name): \(new.count - 10) more") }
    // All of them, for whoever looks for the causes.
    if let path = ProcessInfo.processInfo.environment["STRATA_VIOLATIONS"], !found.isEmpty { try? append(found, name, to: path) }
    return cases.count
}

private func append(_ violations: [String], _ name: String, to path: String) throws {
    let earlier = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    try (earlier + violations.map { "\(name): \($0)\n" }.joined()).write(toFile: path, atomically: true, encoding: .utf8)
}
