import StrataCoordinator
import StrataModel
import StrataStore
import Testing

/// The rows of a persistent history as Core Data writes them, computed from the description of its tables alone, and from the
/// events of a coordinator.
struct HistoryOracle {
    private let model: ManagedObjectModel
    private let path: String
    /// The number of each entity: entities before their sub-entities, else by name.
    private let numbers: [String: Int]
    /// The name of the entity of each object, by its root and reference.
    private var leaves: [String: String] = [:]

    init(_ model: ManagedObjectModel, path: String) {
        (self.model, self.path) = (model, path)
        var numbers: [String: Int] = [:]
        func number(_ parent: EntityIndex?) {
            let children = model.entities.filter { $0.superentity == parent }.sorted { $0.name.lowercased() < $1.name.lowercased() }
            for child in children {
                numbers[child.name] = numbers.count + 1
                number(child.index)
            }
        }
        number(nil)
        self.numbers = numbers
    }

    /// Returns the rows of a save: kind, entity, key, mask, and tombstones, in no order.
    mutating func rows(_ event: SaveEvent.StoreChanges) throws -> [String] {
        func key(_ id: ObjectID) -> String { "\(model.entities[id.entity.root].name) \(id.reference)" }
        for object in event.inserted { leaves[key(object.id)] = object.id.entity.name }
        func entity(_ id: ObjectID) throws -> EntityDescription { try #require(model.entity(named: leaves[key(id)] ?? id.entity.name)) }
        func line(_ kind: Int, _ id: ObjectID, _ mask: String?, _ tombstone: [String] = []) throws -> String {
            let number = try #require(numbers[entity(id).name])
            let values = tombstone + Array(repeating: "NULL", count: tombstones - tombstone.count)
            return ([String(kind), String(number), String(id.reference), mask ?? "-"] + values).joined(separator: "|")
        }
        var lines = try event.inserted.map { try line(0, $0.id, nil) }
        for object in event.updated { lines.append(try line(1, object.id, mask(entity(object.id), Set(object.changedProperties)))) }
        for object in event.deleted {
            let values = event.tombstones[object.id] ?? [:]
            let preserved = ordered(try entity(object.id).attributes.filter(\.declaration.preservesValueInHistoryOnDeletion)) {
                ($0.declaringEntity, $0.name)
            }
            lines.append(try line(2, object.id, nil, preserved.map { try text(values[$0.name]) }))
        }
        return lines.sorted()
    }

    /// The greatest number of preserved attributes of an entity.
    var tombstones: Int {
        model.entities.map { $0.attributes.count(where: \.declaration.preservesValueInHistoryOnDeletion) }.max() ?? 0
    }

    /// The value as SQL.
    private func text(_ value: Value?) throws -> String {
        switch value {
        case .null?, nil: return "NULL"
        case .string(let text)?: return "'\(text)'"
        case .int(let number)?: return "\(number)"
        default: throw UnknownValue()
        }
    }

    private struct UnknownValue: Error {}

    // MARK: - Masks

    private func ordered<P>(_ properties: [P], _ key: (P) -> (entity: EntityIndex, name: String)) -> [P] {
        func depth(_ entity: EntityIndex) -> Int { model.entities[entity].superentity.map { depth($0) + 1 } ?? 0 }
        return properties.sorted { a, b in
            let (first, second) = (key(a), key(b))
            return (depth(first.entity), first.name) < (depth(second.entity), second.name)
        }
    }

    /// The names of the properties of the slots: to-one relationships, their entity columns, their order columns, attributes.
    private func single(_ entity: EntityDescription) throws -> [String] {
        let toOne = ordered(entity.relationships.filter { !$0.isToMany }) { ($0.declaringEntity, $0.name) }
        let withSubentities = toOne.filter { relationship in model.entities.contains { $0.superentity == relationship.destination } }
        let root = model.entities[entity.root].name.uppercased()
        let columns = try raw(path, "SELECT name FROM pragma_table_info('Z\(root)') WHERE name GLOB 'Z_FOK_*'").compactMap { $0[0] }
        let orders = columns.compactMap { column in toOne.first { "Z_FOK_\($0.name.uppercased())" == column } }
        let attributes = ordered(entity.attributes.filter { !$0.isTransient }) { ($0.declaringEntity, $0.name) }
        return toOne.map(\.name) + withSubentities.map(\.name) + orders.map(\.name) + attributes.map(\.name)
    }

    /// The to-many relationships of either kind, whose order within a mask is not known.
    private func groups(_ entity: EntityDescription) -> [[RelationshipDescription]] {
        [false, true].map { isMany in entity.relationships.filter { $0.isToMany && (model.inverse(of: $0)?.isToMany ?? false) == isMany } }
    }

    private func mask(_ entity: EntityDescription, _ changed: Set<String>) throws -> String {
        var bits = try single(entity).map { changed.contains($0) }
        for group in groups(entity) { bits += Array(repeating: group.contains { changed.contains($0.name) }, count: group.count) }
        return Self.text(bits)
    }

    /// Returns a mask that Core Data wrote, with all to-many relationships of a kind marked where one is.
    func withAmbiguousBits(_ mask: String, ofNumber number: String) throws -> String {
        let name = try #require(numbers.first { "\($0.value)" == number }?.key)
        let entity = try #require(model.entity(named: name))
        var bits = mask.flatMap { digit in (0..<4).map { (digit.hexDigitValue ?? 0) & 8 >> $0 != 0 } }
        var start = try single(entity).count
        for group in groups(entity) where start + group.count <= bits.count {
            if bits[start..<start + group.count].contains(true) {
                for index in start..<start + group.count { bits[index] = true }
            }
            start += group.count
        }
        return Self.text(bits)
    }

    private static func text(_ bits: [Bool]) -> String {
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: bits.count, by: 8) {
            bytes.append(bits[start..<min(start + 8, bits.count)].enumerated().reduce(0) { $1.element ? $0 | 0x80 >> $1.offset : $0 })
        }
        return bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
    }

    // MARK: - The rows in the file

    /// Returns the rows of a transaction in a store.
    func stored(_ transaction: Int64) throws -> [String] {
        let columns = (0..<tombstones).map { " || '|' || quote(ZTOMBSTONE\($0))" }.joined()
        return try raw(
            path,
            """
            SELECT ZCHANGETYPE || '|' || ZENTITY || '|' || ZENTITYPK || '|' || CASE WHEN ZCOLUMNS IS NULL THEN '-' ELSE hex(ZCOLUMNS) END\(columns) FROM ACHANGE \
            WHERE ZTRANSACTIONID = \(transaction) AND Z_ENT = 16001 AND Z_OPT IS NULL AND (ZCOLUMNS IS NULL) = (ZCHANGETYPE <> 1) \
            ORDER BY Z_PK
            """
        ).compactMap { $0[0] }
    }
}
