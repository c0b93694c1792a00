import Foundation
import StrataBinary
import StrataFiles
import StrataModel
import StrataStore
import Testing

/// A directory of a test's own, removed with it.
final class Scratch {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "strata-binary-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var store: String { path + "/Store.binary" }

    func put(_ text: String) throws { try put(Array(text.utf8)) }
    func put(_ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(fileURLWithPath: store)) }
    func bytes() throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: store))) }
    func text() throws -> String { String(decoding: try bytes(), as: UTF8.self) }
}

/// Reproducible random numbers.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
        return z ^ z >> 31
    }

    /// A generator whose seed is printed, and taken from the environment where it is set.
    static func printed(_ name: String) -> SplitMix {
        let seed =
            ProcessInfo.processInfo.environment["RELIABILITY_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 1...UInt64(UInt32.max))
        print("\(name): seed=\(seed)")
        return SplitMix(state: seed)
    }
}

let noFiles = ExternalValues(directory: nil)

func save(_ contents: TableContents, _ model: ManagedObjectModel, to path: String, _ external: ExternalValues = noFiles) throws {
    try AtomicReplacement.prepare(path: path, durability: .relaxed) { sink in
        try BinaryCodec().write(contents, model: model, external: external, to: &sink)
    }.commit()
}

func load(_ path: String, _ model: ManagedObjectModel, _ external: ExternalValues = noFiles) throws -> TableContents {
    try BinaryCodec().load(path, model: model, external: external)
}

/// Fills contents with rows, by names.
struct ContentsBuilder {
    let model: ManagedObjectModel
    var contents: TableContents
    private var writer = RowWriter()

    init(_ model: ManagedObjectModel) {
        self.model = model
        contents = TableContents(
            metadata: StoreMetadata(
                type: .binary,
                uuid: "0F17B8B9-EEB0-4A30-98EC-425208280CBC",
                versionHashes: model.entityVersionHashesByName,
                versionIdentifiers: ["one"],
                userInfo: [StoreMetadata.writerKey: .string("1")]
            )
        )
        for entity in model.entities where entity.superentity == nil { contents.lastReference[entity.index] = 0 }
    }

    /// Adds a row; references are added in ascending order. A to-one value is the destination's entity, its reference, and the order.
    mutating func add(
        _ entityName: String,
        _ reference: Int64,
        version: UInt32 = 1,
        _ values: [String: Value] = [:],
        toOne: [String: (entity: String, reference: Int64, order: Int64)] = [:]
    ) throws {
        let entity = try #require(model.entity(named: entityName))
        writer.begin(entity, reference: reference, version: version)
        for (name, value) in values {
            let attribute = try #require(entity.attribute(named: name))
            writer.set(value, at: try #require(attribute.slot), attribute.slotKind)
        }
        for (name, destination) in toOne {
            guard case .toOne(let slot, let entitySlot, let orderSlot) = try #require(entity.relationship(named: name)).storage else {
                throw CancellationError()
            }
            writer.set(integer: destination.reference, at: slot)
            if let entitySlot { writer.set(integer: Int64(try #require(model.entity(named: destination.entity)).index), at: entitySlot) }
            if let orderSlot { writer.set(integer: destination.order, at: orderSlot) }
        }
        contents.rows[entity.root, default: []].append(writer.finish())
        contents.lastReference[entity.root] = max(contents.lastReference[entity.root] ?? 0, reference)
    }
}

/// Everything in contents as text, so that differences show.
func dump(_ contents: TableContents, _ model: ManagedObjectModel) -> String {
    var lines: [String] = ["\(contents.metadata.type) \(contents.metadata.uuid) \(contents.metadata.versionIdentifiers)"]
    for (name, hash) in contents.metadata.versionHashes.sorted(by: { $0.key < $1.key }) { lines.append("hash \(name) \(hash)") }
    for (key, value) in contents.metadata.userInfo.sorted(by: { $0.key < $1.key }) { lines.append("info \(key) \(spelled(value))") }
    for (root, last) in contents.lastReference.sorted(by: { $0.key < $1.key }) { lines.append("last \(root) \(last)") }
    for (root, rows) in contents.rows.sorted(by: { $0.key < $1.key }) {
        for row in rows {
            let entity = model.entities[row.entityIndex]
            var line = "row \(root) \(entity.name) \(row.reference) \(row.version)"
            for (slot, description) in entity.layout.slots.enumerated() where !row.isNull(slot) {
                let name = entity.properties[description.property].name
                line += " \(name)="
                if let bytes = description.kind.isVariable ? row.bytes(slot) : nil {
                    line += "\(Array(bytes))"
                } else {
                    line += String(row.rawWord(slot), radix: 16)
                }
            }
            lines.append(line)
        }
    }
    for (table, links) in contents.links.sorted(by: { $0.key < $1.key }) where !links.isEmpty {
        for link in links.sorted(by: { ($0.first, $0.second) < ($1.first, $1.second) }) {
            let (first, second) = (link.orderInFirst.map(String.init) ?? "-", link.orderInSecond.map(String.init) ?? "-")
            lines.append("link \(table) \(link.first) \(link.second) \(first) \(second)")
        }
    }
    return lines.joined(separator: "\n")
}

/// A property list with its keys in order.
private func spelled(_ value: PropertyListValue) -> String {
    switch value {
    case .array(let values): "[" + values.map(spelled).joined(separator: ", ") + "]"
    case .dictionary(let values):
        "{" + values.sorted { $0.key < $1.key }.map { "\($0.key): \(spelled($0.value))" }.joined(separator: ", ") + "}"
    default: "\(value)"
    }
}

/// The error that a body throws at the boundary, `nil` when it succeeds.
func storeError(_ body: () throws -> Void) throws -> StoreError? {
    do {
        try body()
        return nil
    } catch let error as StoreError { return error }
}
