import Foundation
import StrataCrashWorker
import StrataTestRandom
import Synchronization
import Testing

extension Reliability {
    /// Counts when changed bytes of a store's file are noticed: the table of the guide *Choosing a store* is what a soak prints.
    @Suite("Three changed bytes in the file of a store")
    struct FlippedByteTests {
        /// The first step that reports the damage.
        private enum Outcome: String, CaseIterable {
            case open, read, verify
            /// They are in bytes that nothing reads, or change nothing that is read.
            case withoutEffect
            /// Other content was read, and verifying found nothing.
            case unnoticed
        }

        private struct Flips: Sendable, CustomStringConvertible {
            let bytes: [Int: UInt8]
            var description: String { "bytes \(bytes.sorted { $0.key < $1.key }.map { "\($0.key) is \($0.value)" })" }
        }

        @Test(
            "are noticed before other content is read, or by verifying", arguments: [CrashMode.sqlite, .lmdb, .binary, .xml], [true, false])
        func flips(_ mode: CrashMode, hasChecksums: Bool) throws {
            if hasChecksums && mode != .sqlite { return }
            let directory = try LedgerDirectory(mode, options: hasChecksums ? ["checksums"] : [])
            let report = try WorkerClient().run("fill-store", directory.arguments())
            let digest = try #require(report.last("digest"), "\(report.lines)")
            var random = Effort.random("flips \(mode) \(hasChecksums)")
            let path = mode.paths[0]
            let bytes = try directory.content(of: path)
            let cases = (0..<Effort.count(30, soak: 1000)).map { _ in
                var changed: [Int: UInt8] = [:]
                while changed.count < 3 {
                    let offset = Int.random(in: 0..<bytes.count, using: &random)
                    changed[offset] = bytes[offset] ^ .random(in: 1...255, using: &random)
                }
                return Flips(bytes: changed)
            }
            let counts = Mutex<[Outcome: Int]>([:])
            let isWhole = hasChecksums || mode != .sqlite
            let name = "\(mode)\(hasChecksums ? " with checksums" : ""), \(bytes.count) bytes"
            tryEach("changed bytes of \(name)", cases) { client, flips in
                let copy = try LedgerDirectory(copying: directory)
                var damaged = bytes
                for (offset, byte) in flips.bytes { damaged[offset] = byte }
                try copy.write(damaged, to: path)
                let report = try client.run("notice", copy.arguments(digest))
                guard report.end == "exit 0", let noticed = report.last("noticed") else { return ["\(report.end) \(report.lines)"] }
                let wrong = report.last("wrong")
                let outcome = Outcome(rawValue: noticed) ?? (wrong == nil ? .withoutEffect : .unnoticed)
                counts.withLock { $0[outcome, default: 0] += 1 }
                // Without checksums another value may be read, and only that.
                return isWhole && (outcome == .unnoticed || (outcome == .verify && wrong != nil)) ? [wrong ?? ""] : []
            }
            let all = counts.withLock { $0 }
            print("\(name): \(Outcome.allCases.map { "\($0) \(all[$0] ?? 0)" }.joined(separator: ", "))")
        }
    }
}
