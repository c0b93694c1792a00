import Strata
import StrataPlatform

/// What a worker process can be told to do.
enum WorkerCommands {
    static func perform(_ command: String, _ arguments: [String]) throws {
        let words = arguments.first?.split(separator: "+").map(String.init) ?? []
        guard arguments.count >= 3, let mode = CrashMode(rawValue: words[0]), let order = Int(arguments[2]) else {
            throw Violation("no such arguments: \(arguments)")
        }
        var site = LedgerSite(mode: mode, directory: arguments[1], order: order, hasChecksums: words.contains("checksums"))
        if words.contains("relaxed") { site.durability = .relaxed }
        if let version = words.compactMap({ LedgerVersion(rawValue: $0) }).first { site.version = version }
        let rest = Array(arguments.dropFirst(3))
        switch (command, rest.first.flatMap { Int($0) }) {
        case ("ledger", let last?): LedgerSession(site).run(upTo: last)
        case ("verify", _): LedgerVerification(site).run()
        case ("fill-store", _): try FullStore(site: site).fill()
        case ("notice", _) where rest.count == 1: FullStore(site: site).runStages(expecting: rest[0])
        case ("verify-parts", _): LedgerVerification(site).runParts()
        case ("fill", let limit?): try FullDisk(site, fileSizeLimit: limit).run()
        case ("swap", let index?) where rest.count == 2: try FileSwap(site, index: index, how: rest[1]).run()
        case ("shared-write", let writer?): try SharedLedgerSession(site).write(writer)
        case ("shared-read", let writers?): try SharedLedgerSession(site).read(writers: writers)
        case ("shared-verify", let writers?): SharedLedgerSession(site).verify(writers: writers)
        default: throw Violation("no command \(command) \(rest)")
        }
    }

    /// The code, the recovery and the text of an error, in one line.
    static func describe(_ error: any Error) -> String {
        let text = "\(error)".split(separator: "\n").joined(separator: " ")
        return switch error {
        case let error as StoreError: "\(error.code) \(error.recovery) \(text)"
        case is SaveConflictError: "saveConflict permanent \(text)"
        case is ValidationError: "validation permanent \(text)"
        case is Violation: "violation permanent \(text)"
        default: "other permanent \(text)"
        }
    }
}
