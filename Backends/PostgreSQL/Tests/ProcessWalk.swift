import Foundation
import Strata
import StrataPostgreSQLWorker
import StrataStore
import StrataTestRandom
import StrataTestSupport
import Testing

/// Three processes that change one store, and what they said.
struct ProcessWalk {
    private final class Process {
        let child: ChildProcess
        init(_ arguments: [String]) throws { child = try ChildProcess("StrataPostgreSQLWorker", arguments) }
    }

    let seed: UInt64
    var random: SeededGenerator
    private(set) var oracle = WalkOracle()
    /// Whether connections were ended in this round.
    var isTroubled = false
    private let description: StoreDescription
    private let arguments: [String]
    private var processes: [Process] = []
    private var started = 0

    init(_ address: String, _ schema: String, _ seed: UInt64) throws {
        (self.seed, random) = (seed, SeededGenerator(seed: seed))
        arguments = ["walk", address, schema]
        description = WalkModel.description(address, schema)
        try WalkModel.populate(description)
        for _ in 0..<3 { try start() }
    }

    private mutating func start() throws {
        started += 1
        processes.append(try Process(arguments + ["w\(started)", "\(random.next() >> 1)"]))
    }

    private mutating func take(_ line: String) {
        if !["ready", "quiet", "same"].contains(line) { oracle.hear(line, isTroubled: isTroubled) }
    }

    /// Has them go on for some seconds.
    mutating func run(for seconds: Double) throws {
        let end = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < end {
            for process in processes {
                // Nothing more for now, or an end that the check tells of.
                while let line = try? process.child.nextLine(within: 0.005) { take(line) }
            }
        }
    }

    /// Kills one or two, others while they start, and starts new ones.
    mutating func killSome() throws {
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let process = processes.remove(at: Int.random(in: processes.indices, using: &random))
            usleep(.random(in: 0...30_000, using: &random))
            process.child.kill()
            while let line = try process.child.nextLine() { take(line) }
            try start()
        }
        try run(for: .random(in: 0...0.6, using: &random))
    }

    /// Has all of them pause, and compares what is there with what they said.
    mutating func check(_ more: (WalkDump) -> Void = { _ in }) throws {
        let story = "\(arguments[2]) seed=\(seed)"
        for process in processes { try process.child.send("quiet") }
        for process in processes { try wait(process, ["quiet"]) }
        for process in processes { try process.child.send("compare") }
        for process in processes { try wait(process, ["same", "wrong follower"]) }
        let container = try PersistentContainer(model: WalkModel.model.get(), stores: [description])
        let dump = try WalkDump(container.newContext())
        #expect(oracle.differences(dump) == [], "\(story)")
        #expect(oracle.problems == [], "\(story)")
        do { try HistoryReplay.verify(container.newContext()) } catch { Issue.record(error, "\(story)") }
        for way in WalkDump.Way.allCases {
            #expect(try WalkDump(container.newContext(), way).differences(dump) == [], "\(story) \(way)")
        }
        for store in container.coordinator.stores { #expect(try container.coordinator.verify(store) == [], "\(story)") }
        more(dump)
        for process in processes { try process.child.send("go") }
    }

    private mutating func wait(_ process: Process, _ words: [String]) throws {
        while true {
            let line = try #require(try process.child.nextLine(within: 90), "a process of seed \(seed) ended by itself")
            take(line)
            if words.contains(where: { line.hasPrefix($0) }) { return }
        }
    }
}
