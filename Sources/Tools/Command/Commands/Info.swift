import ArgumentParser
import Foundation
import Strata

struct Info: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Tells what a store is: kind, model, entities with their counts, size, history.",
        discussion: "A store that keeps no model is described without counts, unless --model names one.")

    @OptionGroup var store: StoreArguments
    @Flag(help: "Prints JSON.") var json = false

    func run() throws {
        let facts = try StoreFacts(of: store)
        if json { return try Console.print(facts.json.lines) }
        for (name, value) in facts.lines { try Console.print(name.padding(toLength: 10, withPad: " ", startingAt: 0) + value) }
        try Console.print("")
        var table = TextTable(["entity", "objects"], numbers: [1])
        for entity in facts.entities { table.add([entity.name, entity.count.map(String.init) ?? ""]) }
        for line in table.lines { try Console.print(line) }
    }
}

/// The kind, the size and the entities of a store.
private struct StoreFacts {
    let location: StoreLocation
    let metadata: StoreMetadata
    let byteCount: Int64?
    let lastTransaction: Int64?
    /// The entities with the numbers of their own objects, without those of sub-entities; `nil` where there is no model to count with.
    let entities: [(name: String, count: Int?)]

    init(of store: StoreArguments) throws {
        let description = try store.description()
        location = description.location
        byteCount = description.path.map(FileSize.ofStore(at:))
        guard try store.options.model != nil || PersistentStoreCoordinator.model(ofStoreAt: location, description.driver) != nil else {
            metadata = try description.driver.metadata(at: location)
            entities = metadata.versionHashes.keys.sorted().map { ($0, nil) }
            lastTransaction = nil
            return
        }
        let opened = try store.open()
        metadata = try opened.coordinator.metadata(of: opened.store)
        lastTransaction = metadata.keepsHistory ? try opened.coordinator.history.currentToken().numbers[metadata.storeID] ?? 0 : nil
        entities = try opened.read { context in
            try context.model.entities.filter { !$0.isAbstract }.map { entity in
                var request = ObjectFetchRequest<ManagedObject>(entityName: entity.name)
                request.includesSubentities = false
                return (entity.name, try context.count(for: request))
            }
        }
    }

    var lines: [(name: String, value: String)] {
        var lines = [
            ("store", "\(location)"), ("kind", "\(metadata.type)\(metadata.isForeign ? ", written by Core Data" : "")"),
            ("ID", "\(metadata.storeID)"),
        ]
        let versions = metadata.versionIdentifiers.filter { !$0.isEmpty }
        if !versions.isEmpty { lines.append(("model", "version \(versions.joined(separator: ", "))")) }
        if let byteCount { lines.append(("size", "\(byteCount) bytes")) }
        lines.append(("history", lastTransaction.map { "to transaction \($0)" } ?? "none"))
        return lines
    }

    var json: JSON {
        .object([
            "store": .string("\(location)"), "kind": .string("\(metadata.type)"), "storeID": .string("\(metadata.storeID)"),
            "writtenByCoreData": .bool(metadata.isForeign), "modelVersions": .array(metadata.versionIdentifiers.map { .string($0) }),
            "byteCount": byteCount.map { .int($0) } ?? .null, "lastTransaction": lastTransaction.map { .int($0) } ?? .null,
            "entities": .array(
                entities.map { .object(["name": .string($0.name), "count": $0.count.map { .int(Int64($0)) } ?? .null]) }),
        ])
    }
}

/// The size of a store's files.
enum FileSize {
    /// Returns the bytes of a store's file and of those beside it that belong to it.
    static func ofStore(at path: String) -> Int64 {
        let url = URL(filePath: path)
        let folder = url.deletingLastPathComponent().path
        let external = "\(folder)/.\(url.deletingPathExtension().lastPathComponent)_SUPPORT"
        let large = (FileManager.default.subpaths(atPath: external) ?? []).map { "\(external)/\($0)" }
        return ([path, path + "-wal", path + "-shm"] + large).reduce(0) { sum, file in
            let attributes = try? FileManager.default.attributesOfItem(atPath: file)
            guard attributes?[.type] as? FileAttributeType == .typeRegular else { return sum }
            return sum + ((attributes?[.size] as? NSNumber)?.int64Value ?? 0)
        }
    }
}
