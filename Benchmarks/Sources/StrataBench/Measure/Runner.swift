import Foundation
import StrataWorkload

/// Measures participants one after the other, each group of steps in a fresh process, `runs` times round.
struct Runner {
    /// A participant as the runner sees it.
    struct Entry {
        var name: String
        var kind: ParticipantKind
        var reference: String
        var groups: [[String]]
    }

    var runs: Int
    var workDirectory: URL
    var progress: Progress
    /// The steps of the last run alone: what checks what the others left takes as long as any.
    var finalSteps: Set<String> = []

    /// Runs every entry; interleaved, so that a slow moment of the machine does not meet one participant alone.
    func run(_ entries: [Entry], work: Job.Work) throws -> [ParticipantResult] {
        var results = entries.map { ParticipantResult(name: $0.name, kind: $0.kind, reference: $0.reference) }
        let last = max(runs, 1)
        func groups(of entry: Entry, in run: Int) -> [[String]] {
            run == last ? entry.groups : entry.groups.map { $0.filter { !finalSteps.contains($0) } }.filter { !$0.isEmpty }
        }
        progress.begin((1...last).reduce(0) { count, run in count + entries.reduce(0) { $0 + groups(of: $1, in: run).joined().count } })
        for run in 1...last {
            for (place, entry) in entries.enumerated() {
                let directory = workDirectory.appendingPathComponent("\(run)-\(place)")
                try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
                defer { try? FileManager.default.removeItem(at: directory) }
                for (index, steps) in groups(of: entry, in: run).enumerated() {
                    progress.update("\(entry.name): \(steps.joined(separator: ", ")) …")
                    let job = Job(work: work, participant: entry.name, directory: directory.path, steps: steps)
                    do {
                        try ChildProcess().run(job) { sample in
                            results[place].add(sample)
                            progress.step("\(entry.name) · \(sample.step): \(sample.failure ?? Format.time(sample.seconds, digits: 2))")
                        }
                    } catch {
                        progress.say("\(error)")
                        results[place].fail(steps, "\(error)")
                    }
                    if index == 0 { results[place].fileBytes = Self.size(of: directory) }
                }
            }
        }
        return results
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
