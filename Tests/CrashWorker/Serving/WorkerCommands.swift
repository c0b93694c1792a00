import Glibc
import Strata

/// What a worker process can be told to do.
enum WorkerCommands {
    static func perform(_ command: String, _ arguments: [String]) throws {
        guard arguments.count >= 3, let mode = CrashMode(rawValue: arguments[0]), let order = Int(arguments[2]) else {
            throw Violation("no such arguments: \(arguments)")
        }
        let site = LedgerSite(mode: mode, directory: arguments[1], order: order)
        let rest = Array(arguments.dropFirst(3))
        switch (command, rest.first.flatMap { Int($0) }) {
        case ("ledger", let last?): LedgerSession(site).run(upTo: last)
        case ("verify", _): try LedgerVerification(site).run()
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
