import FoundationEssentials

/// A part of the ledger: everything that can be observed in it.
struct LedgerSnapshot: Equatable {
    var balance: Int
    var note: String
    var statement: Data
    var entries: [EntrySnapshot]
}

struct EntrySnapshot: Equatable {
    var number: Int
    var memo: String
    var receipt: Data
}

/// The ledger after each generation, computed from its number alone.
enum ExpectedLedger {
    /// How many generations an entry lives.
    static let lifetime = 3

    static func snapshot(of part: Part, at generation: Int) -> LedgerSnapshot {
        var entries = (max(1, generation - lifetime + 1)...generation).map { number in
            EntrySnapshot(number: number, memo: memo(number, at: generation), receipt: receipt(number, part))
        }
        if generation % 2 == 0 { entries.reverse() }
        return LedgerSnapshot(
            balance: 100 + 10 * (generation - 1), note: note(generation), statement: statement(generation, part), entries: entries)
    }

    static func note(_ generation: Int) -> String { "as of \(generation)" }

    static func memo(_ number: Int, at generation: Int) -> String {
        "entry \(number)" + String(repeating: "+", count: generation - number)
    }

    /// Large, large, small, and so on: a file of its own is made, replaced, and given up.
    static func statement(_ generation: Int, _ part: Part) -> Data {
        bytes(generation % 3 == 0 ? 40 : CrashMode.externalStorageThreshold + 300 * (generation % 4 + 1), seed: generation, part)
    }

    static func receipt(_ number: Int, _ part: Part) -> Data {
        bytes(number % 2 == 0 ? CrashMode.externalStorageThreshold + 700 : 20, seed: 1000 + number, part)
    }

    /// How many values have files of their own.
    static func fileCount(at generation: Int, _ parts: [Part]) -> Int {
        guard generation > 0 else { return 0 }
        return parts.reduce(0) { count, part in
            let snapshot = snapshot(of: part, at: generation)
            return count + ([snapshot.statement] + snapshot.entries.map(\.receipt)).count { $0.count > CrashMode.externalStorageThreshold }
        }
    }

    private static func bytes(_ count: Int, seed: Int, _ part: Part) -> Data {
        let start = part.rawValue.utf8.reduce(seed &* 31) { $0 &* 31 &+ Int($1) }
        return Data((0..<count).map { UInt8(truncatingIfNeeded: start &+ $0 &+ $0 / 251) })
    }
}
