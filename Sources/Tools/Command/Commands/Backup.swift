import ArgumentParser
import FoundationEssentials
import Strata
import StrataStoreTool

struct Backup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copies a store while it is used, and verifies the copy.",
        discussion: """
            The copy is one state of the store, with the files of its large values. It is whole, or it is not there. A store on a server is \
            copied to another schema of the same database or of another one; other tables and roles are for the server's own pg_dump.
            """)

    @OptionGroup var store: StoreArguments
    @Argument(help: "The path of the copy, or the URL of a PostgreSQL database.", completion: .file()) var copy: String
    @Option(help: "The schema of a copy in a PostgreSQL database.") var targetSchema: String?
    @Flag(help: "Replaces what is at the path of the copy, if it is a store.") var replace = false
    @Flag(help: "Prints what would be done.") var dryRun = false
    @OptionGroup var result: ResultArguments

    func run() throws {
        let description = try store.description()
        let target = CopyTarget(copy, schema: targetSchema)
        let made = try StoreCopy(of: description, model: store.model(of: description), to: target)
        if !replace, try target.isTaken(description.driver) {
            throw CommandFailure(.exists, "there is something at \(target.location): --replace replaces it")
        }
        try made.run(dryRun: dryRun, result)
    }
}

struct Restore: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Replaces a store by a copy of it; no process may have the store open.",
        discussion: """
            The copy, which is named first, is a store, or the directory of a backup of several, which are restored together. A damaged copy \
            replaces nothing. It is refused where it is a copy of another store, unless --force is given. On a server, processes \
            that have the store open have to open it again.

              strata restore backup.sqlite shop.sqlite
            """)

    @OptionGroup var copy: StoreArguments
    @Argument(
        help: "The path of the store to replace, or the URL of a PostgreSQL database; by default where the stores of a backup were.",
        completion: .file())
    var original: String?
    @Option(help: "The schema of the store to replace in a PostgreSQL database.") var targetSchema: String?
    @Flag(help: "Replaces another store, too, and a damaged file; that is kept with the ending .damaged.") var force = false
    @Flag(help: "Prints what would be done.") var dryRun = false
    @OptionGroup var result: ResultArguments

    func run() throws {
        if try StoreBackup.isBackup(at: copy.store) { return try restoreBackup() }
        guard let original else { throw CommandFailure(.usage, "\(copy.store) is no backup of several stores: name the store to replace") }
        let description = try copy.description()
        let target = CopyTarget(original, schema: targetSchema)
        let made = try StoreCopy(of: description, model: copy.model(of: description), to: target)
        if !force, let replaced = try replacedID(target, description.driver) {
            let restored = try description.driver.metadata(at: description.location).storeID
            if restored != replaced {
                throw CommandFailure(
                    .exists, "\(target.location) is another store, \(replaced), than the copy, \(restored): --force replaces it")
            }
        }
        try made.run(dryRun: dryRun, replacesUnrecognized: force, result)
    }

    private func restoreBackup() throws {
        let backup = try StoreBackup(at: copy.store)
        let paths = original.map { [$0] } ?? backup.stores.map(\.originalPath)
        if paths.count < backup.stores.count {
            throw CommandFailure(.usage, "the backup has \(backup.stores.count) stores, which are restored together, to where they were")
        }
        let stores = try zip(paths, backup.stores).map { path, store in
            guard let kind = StoreKind.allCases.first(where: { $0.driver.type == store.type }) else {
                throw CommandFailure(.data, "the backup has a store of type \(store.type), which no driver reads")
            }
            var description = kind.description(at: .file(path))
            description.configuration = store.configuration
            return description
        }
        try backup.check()
        let list = paths.joined(separator: ", ")
        let members: [String: JSON] = [
            "source": .string(backup.path), "targets": .array(paths.map { .string($0) }), "dryRun": .bool(dryRun),
        ]
        if dryRun { return try result.print("would copy what is in \(backup.path) to \(list)", members) }
        _ = try Interrupts.during {
            "the restore was interrupted: \(list) are what they were, or restored; the next restore begins anew"
        } _: {
            try PersistentStoreCoordinator(model: ManagedObjectModel(entities: []))
                .restore(from: backup.path, to: stores, replacingOtherStores: force)
        }
        try result.print("restored \(list) from \(backup.path)", members)
    }

    /// The ID of the store that is replaced; `nil` where there is none.
    private func replacedID(_ target: CopyTarget, _ driver: any StoreDriver) throws -> StoreID? {
        do { return try target.metadata(driver)?.storeID } catch let error as StoreError where error.code == .corrupt {
            throw CommandFailure(.data, "\(target.location) is damaged, so that it cannot be compared with the copy: --force replaces it")
        } catch let failure as CommandFailure {
            throw CommandFailure(failure.status, "\(failure.message); --force replaces it")
        }
    }
}
