import Foundation
import StrataCrashWorker
import StrataTestRandom
import Synchronization
import Testing

extension Reliability {
    /// Finds what a missing synchronization breaks: what a process writes is recorded, and each state that a loss of power may leave of it,
    /// at any moment, is opened and compared with what was acknowledged by then.
    @Suite("A loss of power", .enabled(if: FaultShim.path != nil, "no compiler makes the preloaded library"))
    struct CrashStateTests {
        @Test("leaves every acknowledged save whole, at any moment", arguments: CrashMode.allCases)
        func states(_ mode: CrashMode) throws { try explore(mode, Effort.count(mode.isFederated ? 15 : 25, soak: .max)) }

        /// The price of relaxed durability, which shows as well that the explorer notices what is missing.
        @Test("may cost saves where durability is relaxed, but damages nothing", arguments: [CrashMode.sqlite, .lmdb, .xml, .binary])
        func relaxed(_ mode: CrashMode) throws {
            let lost = Mutex(0)
            try explore(mode, Effort.count(60, soak: .max), options: ["relaxed"], lost: { _ in lost.withLock { $0 += 1 } })
            print("states of \(mode), relaxed: \(lost.withLock { $0 }) with saves lost")
            #expect(lost.withLock { $0 } > 0)
        }

        /// A store of several may lack saves that another one has, and saves may be in doubt; what is in each store is one of its states.
        @Test(
            "may cost some of several stores saves where durability is relaxed, but damages none",
            arguments: CrashMode.allCases.filter(\.isFederated))
        func relaxedFederation(_ mode: CrashMode) throws {
            let outcomes = Mutex<[String: Int]>([:])
            try explore(mode, Effort.count(60, soak: .max), options: ["relaxed"]) { outcome in
                outcomes.withLock { $0[outcome, default: 0] += 1 }
            }
            print("states of \(mode), relaxed: \(outcomes.withLock { $0 })")
            #expect(outcomes.withLock { !$0.isEmpty })
        }

        private func explore(
            _ mode: CrashMode, _ count: Int, options: [String] = [], lost: @Sendable (String) -> Void = { _ in }
        ) throws {
            let name = "states of \(mode)\(options.map { ", \($0)" }.joined())"
            var random = Effort.random(name)
            let recording = try record(
                mode, options, upTo: Effort.count(4, soak: 7), order: Int.random(in: CrashMode.orders, using: &random))
            for case .mapForWriting(let path) in recording.events {
                #expect(path.hasSuffix("-shm") || path.hasSuffix("-lock"), "\(path) is written through memory, which no recording shows")
            }
            let moments = recording.events.indices.filter { recording.events[$0].changesDisk }.shuffled(using: &random).prefix(count)
                .sorted()
            var explorer = StateExplorer(mode: mode, options: options, recording: recording, random: random)
            // In parts, as states take memory.
            for first in stride(from: 0, to: moments.count, by: 60) {
                let part = moments[first..<min(first + 60, moments.count)]
                tryEach("\(name), from \(first) of \(moments.count)", explorer.states(at: part)) { try $1.violations($0, lost: lost) }
            }
        }

        /// What a session records that nothing disturbs.
        private func record(_ mode: CrashMode, _ options: [String], upTo last: Int, order: Int) throws -> Recording {
            let directory = try LedgerDirectory(mode, options: options)
            let log = FileManager.default.temporaryDirectory.appendingPathComponent("strata-recording-\(UUID().uuidString)").path
            defer { try? FileManager.default.removeItem(atPath: log) }
            let report = try WorkerClient().run(
                "ledger", directory.arguments(order: order, "\(last)"), plan: "dir=\(directory.path);record=\(log)")
            #expect(report.has("saved \(last)"), "\(report.lines)")
            return try Recording(at: log, directory: directory.path)
        }
    }
}

/// Plays a recording, and says what a loss of power may leave at certain moments.
private struct StateExplorer {
    let mode: CrashMode
    let options: [String]
    let recording: Recording
    var random: SeededGenerator
    private var disk = RecordedDisk()
    private var played = 0
    private var acknowledged = 0
    /// The states met so far, by their hash.
    private var seen: Set<Int> = []

    init(mode: CrashMode, options: [String], recording: Recording, random: SeededGenerator) {
        self.mode = mode
        self.options = options
        self.recording = recording
        self.random = random
    }

    /// The states after some events, each once: in a sample one for each moment, else all.
    mutating func states(at moments: ArraySlice<Int>) -> [CrashState] {
        var states: [CrashState] = []
        for moment in moments {
            play(through: moment)
            for (contents, entries) in losses() {
                let image = disk.image(contents: contents, entries: entries, &random)
                guard seen.insert(image.hashValue).inserted else { continue }
                states.append(
                    CrashState(
                        mode: mode, options: options, moment: moment, count: recording.events.count, contents: contents, entries: entries,
                        acknowledged: acknowledged, image: image))
            }
        }
        return states
    }

    private mutating func play(through moment: Int) {
        for event in recording.events[played...moment] {
            disk.play(event)
            guard case .mark(let text) = event else { continue }
            let words = text.split(separator: " ")
            if words.count == 2, words[0] == "saved" || words[0] == "open", let number = Int(words[1]) { acknowledged = number }
        }
        played = moment + 1
    }

    private mutating func losses() -> [(contents: RecordedDisk.Loss, entries: RecordedDisk.Loss)] {
        let all = RecordedDisk.Loss.allCases.flatMap { contents in
            [RecordedDisk.Loss.nothing, .everything, .some].map { (contents: contents, entries: $0) }
        }
        if !Effort.isSoak { return [all.randomElement(using: &random) ?? all[0]] }
        return all + Array(repeating: (contents: .some, entries: .nothing), count: 3)
    }
}

/// What is on the disk after a loss of power.
private struct CrashState: Sendable, CustomStringConvertible {
    let mode: CrashMode
    let options: [String]
    let moment: Int
    let count: Int
    let contents: RecordedDisk.Loss
    let entries: RecordedDisk.Loss
    let acknowledged: Int
    let image: [String: [UInt8]]

    var description: String {
        "\(mode) after event \(moment) of \(count), \(contents) of the contents and \(entries) of the entries lost, \(acknowledged) acknowledged"
    }

    /// - Parameter lost: Called where saves are missing that were acknowledged, but may be missing.
    func violations(_ client: WorkerClient, lost: (String) -> Void) throws -> [String] {
        let directory = try LedgerDirectory(mode, options: options)
        for (path, bytes) in image { try directory.write(bytes, to: path) }
        let checksParts = mode.isFederated && options.contains("relaxed")
        let report = try client.run(
            checksParts ? "verify-parts" : "verify", directory.arguments(order: moment % CrashMode.orders.count))
        if checksParts { return try violations(report, lost) }
        guard report.end == "exit 0", report.has("sound"), let found = report.last("found").flatMap({ Int($0) }) else {
            return ["\(report.end): \(report.lines.suffix(3).joined(separator: " | "))"]
        }
        if found < acknowledged, options.contains("relaxed") {
            lost("lost")
            return []
        }
        return acknowledged...(acknowledged + 1) ~= found ? [] : ["found \(found)"]
    }

    private func violations(_ report: WorkerReport, _ lost: (String) -> Void) throws -> [String] {
        let found = report.last("found")?.split(separator: " ").compactMap { Int($0) } ?? []
        guard report.end == "exit 0", report.has("sound"), let least = found.min(), let most = found.max() else {
            return ["\(report.end): \(report.lines.suffix(3).joined(separator: " | "))"]
        }
        let isResolved = report.last("resolved") != nil
        if least < acknowledged || least < most || isResolved {
            lost((isResolved ? "resolved, " : "") + (least < most ? "parted" : least < acknowledged ? "lost" : "whole"))
        }
        return most <= acknowledged + 1 ? [] : ["found \(found)"]
    }
}
