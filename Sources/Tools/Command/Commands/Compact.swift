import ArgumentParser
import Strata
import StrataLMDB
import StrataPostgreSQL
import StrataSQLite
import StrataStoreTool

struct Compact: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact", abstract: "Rewrites a store without the space that deletions left unused; no process may have it open.",
        discussion: """
            The store is verified first. It is whole after a failure, with or without the unused space. Binary and XML stores have none. \
            On a server the tables are rewritten one after the other, while saves wait.
            """)

    @OptionGroup var store: StoreArguments
    @Flag(help: "Prints how much space is unused.") var dryRun = false
    @OptionGroup var result: ResultArguments

    func run() throws {
        let description = try store.description()
        var members: [String: JSON] = ["store": .string("\(description.location)"), "dryRun": .bool(dryRun)]
        guard let path = description.path else {
            guard let server = description.driver as? PostgreSQLDriver else { return }
            _ = try server.metadata(at: description.location)
            if dryRun { return try result.print("would rewrite the tables of \(description.location)", members) }
            try Progress.during("compacting \(description.location)") { try server.compact(at: description.location) }
            return try result.print("compacted \(description.location)", members)
        }
        guard let driver = description.driver as? any CompactingDriver else {
            members["unusedByteCount"] = .int(0)
            return try result.print("stores of the type \(description.driver.type) have no unused space", members)
        }
        let before = FileSize.ofStore(at: path)
        members["byteCountBefore"] = .int(before)
        if dryRun {
            let unused = try driver.unusedByteCount(at: path)
            members["unusedByteCount"] = .int(unused)
            return try result.print("would compact \(path): \(unused) of \(before) bytes are unused", members)
        }
        try description.requireSound(store.model(of: description))
        try Interrupts.during {
            "the rewriting was interrupted: \(path) is whole, with or without the unused space"
        } _: {
            try Progress.during("compacting \(path)") { try driver.compact(at: path) }
        }
        let after = FileSize.ofStore(at: path)
        members["byteCount"] = .int(after)
        try result.print("compacted \(path): \(after) bytes, \(before) before", members)
    }
}
