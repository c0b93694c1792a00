import Foundation
import StrataCrashWorker
import StrataFiles
import Testing

@Suite("The check after a crash", .timeLimit(.minutes(60)))
struct VerificationTests {
    @Test("notices a save that is missing in one store of three", arguments: CrashMode.scattered.paths)
    func missingInOne(_ path: String) throws {
        let old = try CrashSite(.scattered)
        try old.save(upTo: 6)
        let new = try CrashSite(copying: old)
        try new.save(upTo: 7)
        #expect(try new.verifiedGeneration() == 7)
        let torn = PathName.parent(of: PathName.joining(new.directory, path))
        try FileManager.default.removeItem(atPath: torn)
        try FileManager.default.copyItem(atPath: PathName.parent(of: PathName.joining(old.directory, path)), toPath: torn)
        #expect(throws: Violation.self) { try new.verifiedGeneration() }
    }

    @Test("notices half a generation", arguments: CrashMode.allCases)
    func halfAGeneration(_ mode: CrashMode) throws {
        let site = try CrashSite(mode)
        try site.save(upTo: 6)
        try site.withContext { try GraphWriter($0).spoil() }
        #expect(throws: Violation.self) { try site.verifiedGeneration() }
    }
}
