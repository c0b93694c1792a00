import ArgumentParser
import FoundationEssentials
import Strata
import StrataFiles
import StrataPlatform
import StrataStoreTool

/// The store that a copy is written to: a path, or a schema of a server's database.
struct CopyTarget: Sendable {
    let location: StoreLocation

    init(_ store: String, schema: String?) {
        location = StoreDescription.isServer(store) ? .server(ServerAddress(store, name: schema)) : .file(store)
    }

    /// Returns whether a location is that of the target, also by a link.
    func isSame(as other: StoreLocation) -> Bool {
        guard case .file(let path) = location, case .file(let otherPath) = other else { return location == other }
        let identities = [path, otherPath].map { try? PosixFileSystem.shared.statusIfPresent(of: $0)?.identity }
        return identities[0] != nil && identities[0] == identities[1]
    }

    /// Where a store is made that gets the name of the target when it is whole; a hidden file, or another schema.
    var unfinished: StoreLocation {
        switch location {
        case .file(let path):
            let name = PathName.shortened(PathName.last(of: path), over: 200, keeping: 180)
            return .file(PathName.joining(PathName.parent(of: path), ".\(name).unfinished"))
        case .server(var address):
            // A name of the server has at most 63 bytes.
            address.name = PathName.shortened(address.name ?? "strata", over: 50, keeping: 40) + "_unfinished"
            return .server(address)
        default: return location
        }
    }

    /// Returns how much of a store of files is written, those without their names yet included; `nil` on a server.
    func writtenText(of total: Int64? = nil) -> String? {
        guard case .file(let path) = location else { return nil }
        let folder = PathName.parent(of: path)
        let hidden = ((try? PosixFileSystem.shared.names(inDirectory: folder)) ?? []).filter {
            $0.hasPrefix(".\(PathName.last(of: path)).")
        }
        let count = hidden.reduce(0) { $0 + FileSize.ofStore(at: PathName.joining(folder, $1)) }
        guard let total, total > 0 else { return "\(count) bytes" }
        return "\(min(100, count * 100 / total)) %"
    }

    /// What an interrupt left of a store that was not there before.
    var remainder: String {
        guard case .file(let path) = location else { return "\(location) is not there, or is whole" }
        return PosixFileSystem.shared.exists(path) ? "\(location) is whole" : "nothing is at \(location)"
    }

    /// Removes the files of this process that are not whole, where an interrupt ends it; the next command removes others.
    func removeUnfinished() {
        guard case .file(let path) = location else { return }
        let (folder, name) = (PathName.parent(of: path), PathName.last(of: path))
        let beginnings = [".\(name).unfinished", "..\(name).", ".\(name).\(getpid())."]
        for left in (try? PosixFileSystem.shared.names(inDirectory: folder)) ?? [] where beginnings.contains(where: left.hasPrefix) {
            try? PosixFileSystem.shared.removeTree(PathName.joining(folder, left))
        }
    }

    /// Returns whether anything is there.
    func isTaken(_ driver: any StoreDriver) throws -> Bool {
        try location.path.map(FileManager.default.fileExists) ?? (metadata(driver) != nil)
    }

    /// Returns the metadata of the store that is there; `nil` where nothing is.
    ///
    /// - Throws: `StoreError`; `CommandFailure` where it is no store.
    func metadata(_ driver: any StoreDriver) throws -> StoreMetadata? {
        guard case .file(let path) = location else {
            do { return try driver.metadata(at: location) } catch let error as StoreError where error.code == .missing { return nil }
        }
        return FileManager.default.fileExists(atPath: path) ? try StoreKind(ofStoreAt: path).driver.metadata(at: path) : nil
    }
}

/// A copy of a store of the same kind, which is verified.
struct StoreCopy {
    let source: StoreDescription
    let model: ManagedObjectModel
    let target: CopyTarget

    /// Creates the copy of a store.
    ///
    /// - Throws: `CommandFailure` where one of the two is on a server, and the other is a file.
    init(of source: StoreDescription, model: ManagedObjectModel, to target: CopyTarget) throws {
        guard (source.path == nil) == (target.location.path == nil) else {
            throw CommandFailure(.usage, "a copy is a store of the same kind: strata convert writes one of another kind")
        }
        (self.source, self.model, self.target) = (source, model, target)
        if target.isSame(as: source.location) { throw CommandFailure(.usage, "\(target.location) is the store itself") }
    }

    /// Replaces the target by a copy that is sound: a damaged store replaces nothing.
    ///
    /// - Parameter replacesUnrecognized: Whether a file is replaced that is too damaged to show that it is a store.
    func run(dryRun: Bool, replacesUnrecognized: Bool = false, _ result: ResultArguments) throws {
        let isThere = try target.isTaken(source.driver)
        if isThere, !replacesUnrecognized {
            // A damaged store is replaced, too, another program's file is not.
            if let path = target.location.path { _ = try StoreKind(ofStoreAt: path) }
        }
        var members: [String: JSON] = [
            "source": .string("\(source.location)"), "target": .string("\(target.location)"), "replaces": .bool(isThere),
            "dryRun": .bool(dryRun),
        ]
        if dryRun {
            return try result.print("would copy \(source.location) to \(target.location)\(isThere ? ", which is replaced" : "")", members)
        }
        if isThere { try source.requireSound(model) }
        var copy = source
        copy.location = target.location
        try Interrupts.during { [target] in
            target.removeUnfinished()
            return "the copy was interrupted: \(isThere ? "\(target.location) is what it was, or the copy" : target.remainder)"
        } _: {
            let total = source.path.map(FileSize.ofStore)
            try Progress.during("copying \(source.location)", written: { [target] in target.writtenText(of: total) }) {
                if let path = target.location.path {
                    try PersistentStoreCoordinator(model: model).replaceStore(
                        at: path, withStoreAt: source.path ?? "", source.driver, replacingUnrecognized: replacesUnrecognized)
                } else {
                    try source.driver.replace(at: target.location, withStoreAt: source.location)
                }
            }
            do { try copy.requireSound(model) } catch {
                // Nothing was there before.
                if !isThere { try? source.driver.destroy(at: target.location) }
                throw error
            }
        }
        let size = target.location.path.map(FileSize.ofStore)
        members["byteCount"] = size.map { .int($0) } ?? .null
        try result.print(
            "copied \(source.location) to \(target.location)\(size.map { ", \($0) bytes" } ?? ""), verified", members)
    }
}

extension StoreDescription {
    /// Reads everything in the store.
    ///
    /// - Throws: `CommandFailure` with the first problem.
    func requireSound(_ model: ManagedObjectModel) throws {
        let problems = try Progress.during("verifying \(location)") { try PersistentStoreCoordinator.verifyStore(self, model: model) }
        guard let first = problems.first else { return }
        throw CommandFailure(.data, "\(location) has \(problems.count == 1 ? "a problem" : "problems"), first: \(first)")
    }
}
