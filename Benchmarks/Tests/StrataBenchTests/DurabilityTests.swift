import Foundation
import GRDB
import Testing

@testable import BenchPeers
@testable import StrataBench

@Suite struct DurabilityTests {
    /// GRDB relaxed `synchronous` by itself where it was asked for WAL, so that its saves did not wait for the disk as all others' do.
    @Test("GRDB waits for the disk as raw SQLite does")
    func grdb() throws {
        let directory = try WorkDirectory(in: nil)
        defer { directory.remove() }
        let queue = try GRDBArchive.open(directory.url.appendingPathComponent("durable.sqlite").path)
        let (journal, synchronous) = try queue.read {
            (try String.fetchOne($0, sql: "PRAGMA journal_mode"), try Int.fetchOne($0, sql: "PRAGMA synchronous"))
        }
        #expect(journal == "wal")
        #expect(synchronous == 2)
        try queue.close()
    }
}
