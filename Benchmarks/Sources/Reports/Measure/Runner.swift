package import Foundation
package import StrataWorkload

/// Measures participants one after the other, each group of steps in a fresh process, `runs` times round.
package struct Runner {
    /// A participant as the runner sees it.
    package struct Entry {
        var name: String
        var kind: ParticipantKind
        var reference: String
        var groups: [[String]]
        /// The steps that are not measured, each with the one whose times it gets.
        var equivalents: [String: String]

        /// - Parameter equivalents: Steps by the step that is the same work; both are among the groups.
        package init(
            name: String, kind: ParticipantKind, reference: String, groups: [[String]], equivalents: [String: String] = [:]
        ) {
            self.name = name
            self.kind = kind
            self.reference = reference
            self.groups = groups
            self.equivalents = equivalents
        }

        func measured(_ steps: [String]) -> [String] { steps.filter { equivalents[$0] == nil } }
    }

    var runs: Int
    var workDirectory: URL
    var progress: ProgressOutput
    /// The steps of the last run alone: what checks what the others left takes as long as any.
    var finalSteps: Set<String>
    /// The participants that are measured before all others, a group of steps of each at a time.
    var first: Set<String>
    /// Called in the first run with what `first` did, as soon as all of them have done a group.
    var onFirst: ([ParticipantResult], _ steps: [String]) -> Void

    package init(
        runs: Int, workDirectory: URL, progress: ProgressOutput, finalSteps: Set<String> = [], first: Set<String> = [],
        onFirst: @escaping ([ParticipantResult], _ steps: [String]) -> Void = { _, _ in }
    ) {
        self.runs = runs
        self.workDirectory = workDirectory
        self.progress = progress
        self.finalSteps = finalSteps
        self.first = first
        self.onFirst = onFirst
    }

    /// Runs every entry; interleaved, so that a slow moment of the machine does not meet one participant alone.
    package func run(_ entries: [Entry], work: Job.Work) throws -> [ParticipantResult] {
        var results = entries.map { ParticipantResult(name: $0.name, kind: $0.kind, reference: $0.reference) }
        let last = max(runs, 1)
        func groups(of entry: Entry, in run: Int) -> [[String]] {
            run == last ? entry.groups : entry.groups.map { $0.filter { !finalSteps.contains($0) } }.filter { !$0.isEmpty }
        }
        progress.begin(
            (1...last).reduce(0) { count, run in
                count + entries.reduce(0) { $0 + $1.measured(Array(groups(of: $1, in: run).joined())).count }
            })
        for run in 1...last {
            let pass = Pass(name: "run \(run) of \(last)", isFirst: run == 1) { groups(of: $0, in: run) }
            try perform(pass, entries, work, into: &results)
        }
        return results
    }

    /// Runs every entry once more under the library that counts; its times are not those of a run.
    package func count(_ entries: [Entry], work: Job.Work, into results: inout [ParticipantResult]) throws {
        guard let library = CountLibrary.compile(in: workDirectory) else {
            return progress.say("references and allocations are not counted: no C compiler makes the library that does")
        }
        progress.begin(entries.reduce(0) { $0 + $1.measured(Array($1.groups.joined())).count })
        try perform(Pass(name: "counting", preloaded: library, groups: \.groups), entries, work, into: &results)
    }

    /// One time that every entry does its steps.
    private struct Pass {
        var name: String
        var isFirst = false
        /// The path of a library that the processes load before all others.
        var preloaded: String?
        var groups: (Entry) -> [[String]]
    }

    /// Runs every entry once, each in a directory of its own.
    private func perform(_ pass: Pass, _ entries: [Entry], _ work: Job.Work, into results: inout [ParticipantResult]) throws {
        for batch in batches(entries) {
            let directories = batch.map { workDirectory.appendingPathComponent("\(pass.name.replacing(" ", with: "-"))-\($0)") }
            for directory in directories { try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true) }
            defer { for directory in directories { try? FileManager.default.removeItem(at: directory) } }
            let clock = ContinuousClock()
            let start = clock.now
            let groups = batch.map { pass.groups(entries[$0]) }
            for index in 0..<(groups.map(\.count).max() ?? 0) {
                for (member, entry) in batch.enumerated() where index < groups[member].count {
                    let directory = directories[member]
                    let steps = entries[entry].measured(groups[member][index])
                    let job = Job(work: work, participant: entries[entry].name, directory: directory.path, steps: steps)
                    if !steps.isEmpty { measure(job, pass.preloaded, entries[entry].equivalents, &results[entry]) }
                    if index == 0 { results[entry].fileBytes = Self.size(of: directory) }
                }
                if pass.isFirst, index < groups[0].count, first.contains(entries[batch[0]].name) {
                    onFirst(batch.map { results[$0] }, groups[0][index])
                }
            }
            let names = batch.map { entries[$0].name }.joined(separator: ", ")
            let time = Format.time((clock.now - start) / .seconds(1), digits: 2)
            progress.completed((runs <= 1 ? "" : "\(pass.name): ") + "\(names): measured in \(time)")
        }
    }

    /// The indices of those that are measured together, in order: those of `first`, then each of the others.
    private func batches(_ entries: [Entry]) -> [[Int]] {
        let together = entries.indices.filter { first.contains(entries[$0].name) }
        return (together.isEmpty ? [] : [together]) + entries.indices.filter { !first.contains(entries[$0].name) }.map { [$0] }
    }

    private func measure(_ job: Job, _ preloaded: String?, _ equivalents: [String: String], _ result: inout ParticipantResult) {
        progress.update("\(job.participant): \(job.steps.joined(separator: ", ")) …")
        do {
            try ChildProcess(preloaded: preloaded).run(job) { sample in
                result.add(sample, equivalents)
                progress.step("\(job.participant) · \(sample.step): \(sample.failure ?? Format.time(sample.seconds, digits: 2))")
            }
        } catch {
            progress.say("\(error)")
            result.fail(job.steps + equivalents.filter { job.steps.contains($0.value) }.keys, "\(error)")
        }
    }

    /// The bytes that the files of a directory occupy on disk.
    static func size(of directory: URL) -> Int {
        let keys: Set<URLResourceKey> = [.isRegularFileKey]
        let files = FileManager.default.enumerator(at: directory, includingPropertiesForKeys: Array(keys))
        var total = 0
        while let file = files?.nextObject() as? URL {
            var status = stat()
            if lstat(file.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG { total += Int(status.st_blocks) * 512 }
        }
        return total
    }
}
