import FoundationEssentials
import StrataEngine
import StrataModel
import StrataStore

/// Turns rows into objects of the file and back: slot by slot, as text.
struct JSONRows {
    let model: ManagedObjectModel
    let external: ExternalValues

    // MARK: - To the file

    func object(_ row: Row) throws -> JSONFile.Object {
        let entity = model.entities[row.entityIndex]
        let outlying = Set(ExternalStorage.slots(of: entity))
        var object = JSONFile.Object(entity: entity.name, reference: row.reference, version: row.version)
        for (slot, description) in entity.layout.indexedSlots {
            let key = key(of: description, entity)
            // Large values get files of their own; so do lost ones, whose file may come back.
            let isLost = description.kind.isVariable && row.isUnavailable(slot)
            if outlying.contains(slot) || isLost, let name = try external.name(of: row, slot, at: location(entity, row.reference, slot)) {
                object.files[key] = name
            } else {
                object.values[key] = text(row, slot, description.kind)
            }
        }
        return object
    }

    private func text(_ row: Row, _ slot: Slot, _ kind: SlotKind) -> String? {
        switch kind {
        case .integer, .boolean, .reference, .order: row.integer(slot).map { "\($0)" }
        case .entity: row.integer(slot).map { model.entities[Int($0)].name }
        case .double, .float, .date: row.double(slot).map { "\($0)" }
        case .decimal, .string, .uri: row.bytes(slot).map { String(decoding: $0, as: UTF8.self) }
        case .uuid, .binary, .transformable: row.bytes(slot).map { Data($0).base64EncodedString() }
        }
    }

    // MARK: - From the file

    func row(_ object: JSONFile.Object, root: EntityIndex, _ writer: inout RowWriter) throws -> Row {
        guard let entity = model.entity(named: object.entity), entity.root == root else { throw JSONCodec.Malformed() }
        writer.begin(entity, reference: object.reference, version: object.version)
        for (slot, description) in entity.layout.indexedSlots {
            let key = key(of: description, entity)
            if let name = object.files[key], description.kind.isVariable {
                switch try external.value(named: name, at: location(entity, object.reference, slot)) {
                case .success(let bytes): bytes.withUnsafeBytes { writer.set(bytes: $0, at: slot) }
                case .failure(let unavailable): writer.set(unavailable, at: slot)
                }
            } else if let text = object.values[key] {
                try set(text, at: slot, description.kind, &writer)
            }
        }
        return writer.finish()
    }

    private func set(_ text: String, at slot: Slot, _ kind: SlotKind, _ writer: inout RowWriter) throws {
        switch kind {
        case .integer, .boolean, .reference, .order:
            guard let number = Int64(text) else { throw JSONCodec.Malformed() }
            writer.set(integer: number, at: slot)
        case .entity:
            guard let entity = model.entity(named: text) else { throw JSONCodec.Malformed() }
            writer.set(integer: Int64(entity.index.rawValue), at: slot)
        case .double, .float, .date:
            guard let number = Double(text) else { throw JSONCodec.Malformed() }
            writer.set(double: number, at: slot)
        case .decimal, .string, .uri: writer.set(text: text, at: slot)
        case .uuid, .binary, .transformable:
            guard let data = Data(base64Encoded: text), kind != .uuid || data.count == 16 else { throw JSONCodec.Malformed() }
            data.withUnsafeBytes { writer.set(bytes: $0, at: slot) }
        }
    }

    // MARK: - Names

    /// The name of a slot: that of its property, and what else than its value the slot holds of a relationship.
    private func key(of slot: SlotDescription, _ entity: EntityDescription) -> String {
        let name = entity.properties[slot.property].name
        return switch slot.kind {
        case .entity: name + ".entity"
        case .order: name + ".order"
        default: name
        }
    }

    private func location(_ entity: EntityDescription, _ reference: Int64, _ slot: Slot) -> ExternalValues.Location {
        ExternalValues.Location(root: entity.root, reference: reference, slot: slot)
    }
}
