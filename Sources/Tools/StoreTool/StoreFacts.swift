import FoundationEssentials
public import Strata

/// The kind, the size and the entities of a store.
public struct StoreFacts: Sendable {
    /// The location.
    public let location: StoreLocation
    /// The metadata as of the last save.
    public let metadata: StoreMetadata
    /// The store's files; `nil` for a store without files.
    public let files: StoreFiles?
    /// The number of the history's last transaction; `nil` where there is no history.
    public let lastTransaction: Int64?
    /// The entities with the numbers of their own objects, without those of sub-entities; `nil` where there is no model to count with.
    public let entities: [(name: String, count: Int?)]

    /// Reads the facts of an open store.
    ///
    /// - Throws: `StoreError`.
    public init(_ opened: OpenStore) throws {
        self = try opened.read { context in
            try StoreFacts(opened.store, of: opened.coordinator, in: context, driver: opened.description.driver)
        }
    }

    /// Reads the facts of a coordinator's store, and counts with a context.
    ///
    /// - Parameter driver: The store's driver, which knows the bytes that deletions left.
    /// - Throws: `StoreError`.
    public init(
        _ store: any PersistentStore, of coordinator: PersistentStoreCoordinator, in context: ManagedObjectContext,
        driver: (any StoreDriver)? = nil
    ) throws {
        location = store.location
        files = try store.path.map { try StoreFiles(path: $0, driver) }
        metadata = try coordinator.metadata(of: store)
        lastTransaction = metadata.keepsHistory ? try coordinator.history.currentToken().numbers[metadata.storeID] ?? 0 : nil
        entities = try context.model.entities.filter { !$0.isAbstract }.map { entity in
            var request = ObjectFetchRequest<ManagedObject>(entityName: entity.name)
            request.includesSubentities = false
            request.affectedStores = [store]
            return (entity.name, try context.count(for: request))
        }
    }

    /// Reads the facts of a store without a model, thus without counts.
    ///
    /// - Throws: `StoreError`.
    public init(withoutModel description: StoreDescription) throws {
        location = description.location
        files = try description.path.map { try StoreFiles(path: $0, description.driver) }
        metadata = try description.driver.metadata(at: location)
        entities = metadata.versionHashes.keys.sorted().map { ($0, nil) }
        lastTransaction = nil
    }

    /// The facts but for the entities, as names and texts.
    public var lines: [(name: String, value: String)] {
        var lines = [
            ("store", "\(location)"), ("kind", "\(metadata.type)\(metadata.isForeign ? ", written by Core Data" : "")"),
            ("ID", "\(metadata.storeID)"),
        ]
        let versions = metadata.versionIdentifiers.filter { !$0.isEmpty }
        if !versions.isEmpty { lines.append(("model", "version \(versions.joined(separator: ", "))")) }
        if let files {
            lines.append(("size", "\(files.byteCount) bytes\(files.unusedByteCount.map { ", \($0) unused" } ?? "")"))
            if !files.users.isEmpty { lines.append(("in use", "by process \(files.users.map(String.init).joined(separator: ", "))")) }
            if files.interruptedSaves > 0 { lines.append(("saves", "\(files.interruptedSaves) interrupted, see strata resolve")) }
        }
        lines.append(("history", lastTransaction.map { "to transaction \($0)" } ?? "none"))
        return lines
    }

    /// The facts as JSON.
    public var json: JSON {
        .object([
            "store": .string("\(location)"), "kind": .string("\(metadata.type)"), "storeID": .string("\(metadata.storeID)"),
            "writtenByCoreData": .bool(metadata.isForeign), "modelVersions": .array(metadata.versionIdentifiers.map { .string($0) }),
            "modelHashes": .object(metadata.versionHashes.mapValues { .string(Data($0).base64EncodedString()) }),
            "byteCount": files.map { .int($0.byteCount) } ?? .null,
            "unusedByteCount": files?.unusedByteCount.map { .int($0) } ?? .null,
            "processes": .array(files?.users.map { .int(Int64($0)) } ?? []),
            "interruptedSaves": .int(Int64(files?.interruptedSaves ?? 0)),
            "lastTransaction": lastTransaction.map { .int($0) } ?? .null,
            "entities": .array(
                entities.map { .object(["name": .string($0.name), "count": $0.count.map { .int(Int64($0)) } ?? .null]) }),
        ])
    }
}
