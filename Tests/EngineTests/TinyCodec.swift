import FoundationEssentials
import StrataEngine
import StrataEvaluation
import StrataFiles
import StrataModel
import StrataQuery
import StrataStore

@testable import StrataEngine

/// The smallest format that makes an atomic store: a word, and everything as JSON.
struct TinyCodec: AtomicCodec {
    let fileSystem: any FileSystem
    var type: StoreType { StoreType(rawValue: "Tiny") }
    var referenceScope: StoreCapabilities.ReferenceScope { .hierarchy }

    private struct File: Codable {
        var type: String
        var storeID: StoreID
        var hashes: [String: [UInt8]]
        var userInfo: [String: PropertyListValue]
        var rows: [EntityIndex: [Data]] = [:]
        /// The names of values in files of their own, by hierarchy, reference and slot.
        var names: [EntityIndex: [Int64: [Slot: String]]] = [:]
        var links: [Int: [[Int64?]]] = [:]
        var last: [EntityIndex: Int64] = [:]

        init(_ metadata: StoreMetadata) {
            type = metadata.type.rawValue
            storeID = metadata.storeID
            hashes = metadata.versionHashes
            userInfo = metadata.userInfo
        }

        /// The file as text.
        func encoded() throws -> [UInt8] {
            let encoder = PropertyListEncoder()
            encoder.outputFormat = .xml
            return Array(try encoder.encode(self))
        }

        var metadata: StoreMetadata {
            StoreMetadata(type: StoreType(rawValue: type), storeID: storeID, versionHashes: hashes, userInfo: userInfo)
        }
    }

    private static let mark = Array("TINY".utf8)

    private func read(_ path: String) throws -> File {
        let bytes = try fileSystem.contents(of: path)
        guard bytes.starts(with: TinyCodec.mark) else { throw StoreError(.foreign, .open, "not tiny", path: path) }
        do { return try PropertyListDecoder().decode(File.self, from: Data(bytes.dropFirst(4))) } catch {
            throw StoreError(.corrupt, .open, "not the tiny format", path: path, underlying: error)
        }
    }

    func metadata(_ path: String) throws -> StoreMetadata { try read(path).metadata }

    func externalNames(_ path: String) throws -> [String] { try read(path).names.values.flatMap(\.values).flatMap(\.values) }

    func load(_ path: String, model: ManagedObjectModel, external: ExternalValues) throws -> TableContents {
        let file = try read(path)
        var contents = TableContents(metadata: file.metadata)
        var writer = RowWriter()
        for (root, rows) in file.rows {
            contents.rows[root] = try rows.map { data in
                guard let row = data.withUnsafeBytes({ writer.copy(bytes: $0, model: model) }) else {
                    throw StoreError(.corrupt, .open, "no row", path: path)
                }
                guard let names = file.names[root]?[row.reference] else { return row }
                writer.begin(model.entities[row.entityIndex], reference: row.reference, version: row.version)
                for (slot, description) in model.entities[row.entityIndex].layout.indexedSlots {
                    if let name = names[slot] {
                        switch try external.value(named: name, at: .init(root: root, reference: row.reference, slot: slot)) {
                        case .success(let bytes): bytes.withUnsafeBytes { writer.set(bytes: $0, at: slot) }
                        case .failure(let unavailable): writer.set(unavailable, at: slot)
                        }
                    } else {
                        writer.copy(slot, description.kind, from: row)
                    }
                }
                return writer.finish()
            }
        }
        for (table, links) in file.links {
            contents.links[table] = links.map {
                Link(
                    first: $0[0] ?? 0, second: $0[1] ?? 0, orderInFirst: $0[2].map(OrderKey.init(rawValue:)),
                    orderInSecond: $0[3].map(OrderKey.init(rawValue:)))
            }
        }
        contents.lastReference = file.last
        return contents
    }

    func write(_ contents: TableContents, model: ManagedObjectModel, external: ExternalValues, to sink: inout FileSink) throws {
        var file = File(contents.metadata)
        var writer = RowWriter()
        for (root, rows) in contents.rows {
            file.rows[root] = try rows.map { row in
                let entity = model.entities[row.entityIndex]
                writer.begin(entity, reference: row.reference, version: row.version)
                for (slot, description) in entity.layout.indexedSlots {
                    let attribute = entity.properties[description.property].attribute
                    if attribute?.declaration.allowsExternalStorage == true,
                        let name = try external.name(of: row, slot, at: .init(root: root, reference: row.reference, slot: slot))
                    {
                        file.names[root, default: [:]][row.reference, default: [:]][slot] = name
                    } else {
                        writer.copy(slot, description.kind, from: row)
                    }
                }
                return Data(writer.finish().bytes)
            }
        }
        file.links = contents.links.mapValues { $0.map { [$0.first, $0.second, $0.orderInFirst?.rawValue, $0.orderInSecond?.rawValue] } }
        file.last = contents.lastReference
        try sink.write(TinyCodec.mark)
        try sink.write(try file.encoded())
    }

    func rewrite(_ path: String, metadata: StoreMetadata, to sink: inout FileSink) throws {
        var file = try read(path)
        let changed = File(metadata)
        (file.storeID, file.hashes, file.userInfo) = (changed.storeID, changed.hashes, changed.userInfo)
        try sink.write(TinyCodec.mark)
        try sink.write(try file.encoded())
    }
}

/// The tiny format, with something done whenever metadata were read.
struct CountingCodec: AtomicCodec {
    let base: TinyCodec
    let afterMetadata: @Sendable () throws -> Void
    var type: StoreType { base.type }
    var referenceScope: StoreCapabilities.ReferenceScope { base.referenceScope }

    func metadata(_ path: String) throws -> StoreMetadata {
        let metadata = try base.metadata(path)
        try afterMetadata()
        return metadata
    }

    func load(_ path: String, model: ManagedObjectModel, external: ExternalValues) throws -> TableContents {
        try base.load(path, model: model, external: external)
    }

    func write(_ contents: TableContents, model: ManagedObjectModel, external: ExternalValues, to sink: inout FileSink) throws {
        try base.write(contents, model: model, external: external, to: &sink)
    }

    func rewrite(_ path: String, metadata: StoreMetadata, to sink: inout FileSink) throws {
        try base.rewrite(path, metadata: metadata, to: &sink)
    }
}

/// A store in the tiny format, and what tests do with it.
struct Tiny {
    let company: Company
    let fileSystem: any FileSystem
    var driver: AtomicStoreDriver<TinyCodec> { AtomicStoreDriver(TinyCodec(fileSystem: fileSystem), fileSystem: fileSystem) }

    func open(
        _ path: String = "/d/Store.tiny", isReadOnly: Bool = false, threshold: Int = 100, timeout: Double = 0.05
    ) throws -> any StoreBackend {
        var description = StoreDescription(driver, path: path, isReadOnly: isReadOnly)
        description.options.externalStorageThreshold = threshold
        description.options.timeout = timeout
        return try driver.open(description, model: company.model)
    }

    func save(_ store: any StoreBackend, _ build: (inout ChangeSet) throws -> Void) throws {
        var changes = ChangeSet()
        try build(&changes)
        let transaction = try store.beginWrite()
        guard try transaction.apply(changes).isEmpty else { throw StoreError(.conflict, .save, "conflicts") }
        try transaction.commit()
    }

    /// The names of the people in a store.
    func names(_ store: any StoreBackend) throws -> [String] {
        guard case .rows(let rows, _) = try store.read({ try $0.execute(FetchPlan(company.entity("Person"))) }) else { return [] }
        return try rows.map { try company.text($0, "name") ?? "nil" }
    }

    func photo(_ store: any StoreBackend, _ reference: Int64) throws -> [UInt8]? {
        let root = try company.entity("Person").root
        let slot = try company.slot("Person", "photo")
        return try store.read { try $0.row(root: root, reference: reference)?.bytes(slot).map { Array($0) } }
    }
}

/// The message of the store's error that `body` throws.
func messageOfError(_ body: () throws -> Void) -> String? {
    do { try body() } catch { return (error as? StoreError)?.message }
    return nil
}

/// The code of the error that `body` throws.
func code(_ body: () throws -> Void) -> StoreError.Code? {
    do { try body() } catch { return (error as? StoreError)?.code }
    return nil
}
