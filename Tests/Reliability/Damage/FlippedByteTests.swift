import Foundation
import StrataCrashWorker
import StrataTestRandom
import Synchronization
import Testing

extension Reliability {
    /// Counts when a changed byte of a store's file is noticed: the table of the guide *Choosing a store* is what a soak prints.
    @Suite("A changed byte in the file of a store")
    struct FlippedByteTests {
        /// What came of a changed byte.
        private enum Outcome: String, CaseIterable {
            case open, read, verify
            /// It is in bytes that nothing reads, or changes nothing that is read.
            case withoutEffect
            /// Other content was read, and verifying found nothing.
            case unnoticed
        }

        private struct Flip: Sendable, CustomStringConvertible {
            let offset: Int
            let byte: UInt8
            var description: String { "byte \(offset) is \(byte)" }
        }

        @Test(
            "is noticed before other content is read, or by verifying", arguments: [CrashMode.sqlite, .lmdb, .binary, .xml], [true, false])
        func flips(_ mode: CrashMode, hasChecksums: Bool) throws {
            if hasChecksums && mode != .sqlite { return }
            let directory = try LedgerDirectory(mode, options: hasChecksums ? ["checksums"] : [])
            let report = try WorkerClient().run("ledger", directory.arguments("4"))
            #expect(report.has("saved 4"), "\(report.lines)")
            var random = Effort.random("flips \(mode) \(hasChecksums)")
            let path = mode.paths[0]
            let bytes = try directory.content(of: path)
            let flips = (0..<Effort.count(40, soak: 1000)).map { _ in
                let offset = Int.random(in: 0..<bytes.count, using: &random)
                return Flip(offset: offset, byte: bytes[offset] ^ .random(in: 1...255, using: &random))
            }
            let counts = Mutex<[Outcome: Int]>([:])
            let isWhole = hasChecksums || mode != .sqlite
            tryEach("changed bytes of \(mode)\(hasChecksums ? " with checksums" : "")", flips) { client, flip in
                let copy = try LedgerDirectory(copying: directory)
                var damaged = bytes
                damaged[flip.offset] = flip.byte
                try copy.write(damaged, to: path)
                let report = try client.run("notice", copy.arguments())
                guard report.end == "exit 0", let noticed = report.last("noticed") else { return ["\(report.end) \(report.lines)"] }
                let wrong = report.last("wrong")
                let outcome = Outcome(rawValue: noticed) ?? (wrong == nil ? .withoutEffect : .unnoticed)
                counts.withLock { $0[outcome, default: 0] += 1 }
                // Without checksums another value may be read, and only that.
                return isWhole && (outcome == .unnoticed || (outcome == .verify && wrong != nil)) ? [wrong ?? ""] : []
            }
            let all = counts.withLock { $0 }
            print(
                "\(mode)\(hasChecksums ? " with checksums" : ""): \(Outcome.allCases.map { "\($0) \(all[$0] ?? 0)" }.joined(separator: ", "))"
            )
        }
    }
}
