import ArgumentParser
import Foundation
import Strata
import StrataStoreTool

struct Backup: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copies a store while it is used, and verifies the copy.",
        discussion: "The copy is one state of the store, with the files of its large values. It is whole, or it is not there.")

    @OptionGroup var store: StoreArguments
    @Argument(help: "The path of the copy.", completion: .file()) var copy: String
    @Flag(help: "Replaces what is at the path of the copy, if it is a store.") var replace = false
    @Flag(help: "Says what would be done.") var dryRun = false

    func run() throws {
        let description = try store.description()
        try StoreCopy(from: description, model: store.model(of: description), to: copy, replaces: replace).run(dryRun: dryRun)
    }
}

struct Restore: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Replaces a store by a copy of it; no process may have the store open.",
        discussion: "The copy is verified first. It is refused where it is a copy of another store, unless --force says so.")

    @OptionGroup var copy: StoreArguments
    @Argument(help: "The path of the store to replace.", completion: .file()) var original: String
    @Flag(help: "Replaces another store, too.") var force = false
    @Flag(help: "Says what would be done.") var dryRun = false

    func run() throws {
        let description = try copy.description()
        if !force, FileManager.default.fileExists(atPath: original) {
            let restored = try description.driver.metadata(at: description.location).storeID
            let replaced = try StoreKind(ofStoreAt: original).driver.metadata(at: original).storeID
            if restored != replaced {
                throw CommandFailure(.exists, "\(original) is another store, \(replaced), than the copy, \(restored): --force replaces it")
            }
        }
        try StoreCopy(from: description, model: copy.model(of: description), to: original, replaces: true, verifiesFirst: true).run(
            dryRun: dryRun)
    }
}

/// A copy of a store to another path.
private struct StoreCopy {
    private let source: StoreDescription
    private let model: ManagedObjectModel
    private let target: String
    private let replaces: Bool
    private let verifiesFirst: Bool

    init(from source: StoreDescription, model: ManagedObjectModel, to target: String, replaces: Bool, verifiesFirst: Bool = false) throws {
        guard source.path != nil else {
            throw CommandFailure(
                .usage, "a store on a server is copied by the server's own tools: pg_dump --schema copies a PostgreSQL store")
        }
        self.source = source
        self.model = model
        self.target = target
        self.replaces = replaces
        self.verifiesFirst = verifiesFirst
    }

    func run(dryRun: Bool) throws {
        let isThere = FileManager.default.fileExists(atPath: target)
        if isThere, !replaces { throw CommandFailure(.exists, "there is something at \(target): --replace replaces it") }
        if isThere { _ = try StoreKind(ofStoreAt: target) }
        if verifiesFirst { try verify(source) }
        if dryRun { return try Console.print("would copy \(source.location) to \(target)\(isThere ? ", which is replaced" : "")") }
        try PersistentStoreCoordinator(model: model).replaceStore(at: target, withStoreAt: source.path ?? "", source.driver)
        var copy = source
        copy.path = target
        try verify(copy)
        try Console.print("copied \(source.location) to \(target), \(FileSize.ofStore(at: target)) bytes, verified")
    }

    private func verify(_ description: StoreDescription) throws {
        let problems = try PersistentStoreCoordinator.verifyStore(description, model: model)
        guard let first = problems.first else { return }
        throw CommandFailure(.data, "\(description.location) has \(problems.count == 1 ? "a problem" : "problems"), first: \(first)")
    }
}
