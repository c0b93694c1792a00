import ArgumentParser
import Strata
import StrataLMDB
import StrataPostgreSQL
import StrataSQLite
import StrataStoreTool

struct Compact: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Rewrites a store without the space that deletions left unused; no process may have it open.",
        discussion: """
            The store is verified first. It is whole after a failure, with or without the unused space. Binary and XML stores have none. \
            On a server the tables are rewritten one after the other, while saves wait.
            """)

    @OptionGroup var store: StoreArguments
    @Flag(help: "Says how much space is unused.") var dryRun = false

    func run() throws {
        let description = try store.description()
        guard let path = description.path else {
            guard let server = description.driver as? PostgreSQLDriver else { return }
            _ = try server.metadata(at: description.location)
            if dryRun { return try Console.print("would rewrite the tables of \(description.location)") }
            try server.compact(at: description.location)
            return try Console.print("compacted \(description.location)")
        }
        guard let driver = description.driver as? any CompactingDriver else {
            return try Console.print("stores of the type \(description.driver.type) have no unused space")
        }
        let before = FileSize.ofStore(at: path)
        if dryRun {
            return try Console.print("would compact \(path): \(driver.unusedByteCount(at: path)) of \(before) bytes are unused")
        }
        try description.requireSound(store.model(of: description))
        try driver.compact(at: path)
        try Console.print("compacted \(path): \(FileSize.ofStore(at: path)) bytes, \(before) before")
    }
}
