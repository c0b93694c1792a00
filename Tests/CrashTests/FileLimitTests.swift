import Foundation
import StrataCrashWorker
import StrataTestSupport
import Testing

// SQLite called a file that may not grow “io: not an error”, and the store had to be opened again.
@Suite("A limit to files", .timeLimit(.minutes(60)))
struct FileLimitTests {
    @Test("to their length is a full disk to every store, which then has what it had", arguments: [CrashMode.sqlite, .xml, .binary, .lmdb])
    func limit(_ mode: CrashMode) throws {
        let site = try CrashSite(mode)
        let worker = try Worker([mode.rawValue, site.directory, "1", "limit", "100"])
        let failure = #expect(throws: Worker.Failure.self) { try worker.wait(for: "saved ", count: 100_000) }
        #expect(failure?.description.contains("full in save") == true, "\(failure?.description ?? "")")
        try? worker.waitForEnd()
        let (acknowledged, found) = (try #require(worker.acknowledged), try site.verifiedGeneration(order: 0))
        #expect(found == acknowledged, "\(mode)")
    }

    // A store that needed a timer when there was no descriptor left for one ended the process.
    @Test("to their number is an error to every store, and nothing is lost", arguments: [CrashMode.sqlite, .lmdb, .trio], 0..<6)
    func descriptors(_ mode: CrashMode, _ spare: Int) throws {
        let site = try CrashSite(mode)
        try site.save(upTo: 1)
        let worker = try Worker([mode.rawValue, site.directory, "1", "descriptors", "\(spare)"])
        try worker.waitForEnd()
        #expect(worker.lines.last == "done", "\(mode) with \(spare): \(worker.lines.suffix(3))")
        let (acknowledged, found) = (try #require(worker.acknowledged), try site.verifiedGeneration(order: 0))
        #expect(found == acknowledged, "\(mode)")
    }
}
