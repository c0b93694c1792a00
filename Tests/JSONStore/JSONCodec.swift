import FoundationEssentials
import StrataEngine
import StrataFiles
import StrataModel
import StrataStore

/// A store that is one JSON document: a line that says so, the document, and a line with the checksum of both.
struct JSONCodec: AtomicCodec {
    /// The document says what cannot be.
    struct Malformed: Error {}

    private static let magic = Array("strata-json 1\n".utf8)

    var type: StoreType { .json }
    var fileKind: FileKind? { .json }
    var referenceScope: StoreCapabilities.ReferenceScope { .hierarchy }

    // MARK: - Reading

    func load(_ path: String, model: ManagedObjectModel, external: ExternalValues) throws -> TableContents {
        let file = try read(path, .open)
        return try refusingDamage(path, .open) {
            var contents = TableContents(metadata: try file.store.metadata())
            let rows = JSONRows(model: model, external: external)
            for (name, hierarchy) in file.hierarchies {
                guard let root = model.entity(named: name)?.root else {
                    // A version of the model may have entities of other configurations that another has not.
                    if hierarchy.objects.isEmpty { continue }
                    throw Malformed()
                }
                var writer = RowWriter()
                contents.rows[root] = try hierarchy.objects.map { try rows.row($0, root: root, &writer) }
                contents.lastReference[root] = hierarchy.lastReference
            }
            for table in model.linkTables {
                contents.links[table.index] = file.links[key(of: table, model)]?.map {
                    Link(first: $0.first, second: $0.second, orderInFirst: $0.orderInFirst, orderInSecond: $0.orderInSecond)
                }
            }
            return contents
        }
    }

    func metadata(_ path: String) throws -> StoreMetadata {
        let file = try read(path, .metadata)
        return try refusingDamage(path, .metadata) { try file.store.metadata() }
    }

    func externalNames(_ path: String) throws -> [String] {
        try read(path, .open).hierarchies.values.flatMap(\.objects).flatMap(\.files.values)
    }

    /// The document, whose checksum is right.
    private func read(_ path: String, _ operation: StoreError.Operation) throws -> JSONFile {
        let bytes = try PosixFileSystem.shared.contents(of: path)
        guard bytes.starts(with: JSONCodec.magic.prefix(12)) else { throw FileKind(beginning: bytes).refusal(operation, path: path) }
        return try refusingDamage(path, operation) {
            guard let end = bytes.dropLast().lastIndex(of: UInt8(ascii: "\n")), bytes[(end + 1)...].elementsEqual(checksum(bytes[...end]))
            else { throw Malformed() }
            guard bytes.starts(with: JSONCodec.magic) else {
                throw StoreError(.unsupportedVersion, operation, "the format is of another version", path: path)
            }
            return try JSONDecoder().decode(JSONFile.self, from: Data(bytes[JSONCodec.magic.count...end]))
        }
    }

    /// Runs `body`, and calls whatever makes no sense to it a damage.
    private func refusingDamage<T>(_ path: String, _ operation: StoreError.Operation, _ body: () throws -> T) throws -> T {
        do { return try body() } catch let error where error is Malformed || error is DecodingError {
            throw StoreError(.corrupt, operation, "the document makes no sense", path: path, underlying: error)
        }
    }

    // MARK: - Writing

    func write(_ contents: TableContents, model: ManagedObjectModel, external: ExternalValues, to sink: inout FileSink) throws {
        var file = JSONFile(store: JSONFile.Header(contents.metadata))
        let rows = JSONRows(model: model, external: external)
        for root in Set(contents.rows.keys).union(contents.lastReference.keys) {
            file.hierarchies[model.entities[root].name] = JSONFile.Hierarchy(
                lastReference: contents.lastReference[root] ?? 0, objects: try (contents.rows[root] ?? []).map(rows.object))
        }
        for table in model.linkTables {
            file.links[key(of: table, model)] = contents.links[table.index]?.map {
                JSONFile.Pair(first: $0.first, second: $0.second, orderInFirst: $0.orderInFirst, orderInSecond: $0.orderInSecond)
            }
        }
        try write(file, to: &sink)
    }

    func rewrite(_ path: String, metadata: StoreMetadata, to sink: inout FileSink) throws {
        var file = try read(path, .metadata)
        file.store = JSONFile.Header(metadata)
        try write(file, to: &sink)
    }

    private func write(_ file: JSONFile, to sink: inout FileSink) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let bytes = JSONCodec.magic + (try encoder.encode(file)) + [UInt8(ascii: "\n")]
        try sink.write(bytes)
        try sink.write(checksum(bytes))
    }

    private func checksum(_ bytes: some Collection<UInt8>) -> [UInt8] {
        Array("\(String(CRC32C.checksum(of: Array(bytes)), radix: 16))\n".utf8)
    }

    private func key(of table: LinkTable, _ model: ManagedObjectModel) -> String {
        let entity = model.entities[table.first.entity]
        return "\(entity.name).\(entity.properties[table.first.property].name)"
    }
}

extension FileKind {
    static let json = FileKind("JSON") { $0.starts(with: "strata-json ".utf8) }
}

extension StoreType {
    /// The JSON store.
    static let json = StoreType(rawValue: "JSON")
}

extension StoreDriver where Self == AtomicStoreDriver<JSONCodec> {
    /// Stores that are JSON documents.
    static var json: Self { AtomicStoreDriver(JSONCodec()) }
}
