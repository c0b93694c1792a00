import StrataFiles
import StrataModel

/// The entities, slots and link tables of a file by name, which map its indexes to those of the model.
struct SchemaSection: Equatable {
    struct Slot: Equatable {
        let kind: UInt8
        let property: String
    }

    struct Entity: Equatable {
        let name: String
        let root: Int
        let slots: [Slot]
    }

    struct End: Equatable {
        let entity: Int
        let property: String
        let isOrdered: Bool
    }

    struct Table: Equatable {
        let first: End
        let second: End
    }

    let entities: [Entity]
    let tables: [Table]

    init(_ model: ManagedObjectModel) {
        entities = model.entities.map { entity in
            Entity(
                name: entity.name, root: entity.root.rawValue,
                slots: entity.layout.slots.map { Slot(kind: $0.kind.rawValue, property: entity.properties[$0.property].name) })
        }
        tables = model.linkTables.map { table in
            func end(_ end: LinkTable.End) -> End {
                End(
                    entity: end.entity.rawValue, property: model.entities[end.entity].properties[end.property].name,
                    isOrdered: end.isOrdered)
            }
            return Table(first: end(table.first), second: end(table.second))
        }
    }

    init(_ reader: inout ByteReader) throws(MalformedBytes) {
        var entities: [Entity] = []
        let entityCount = try reader.count(ofSize: 12)
        for _ in 0..<entityCount {
            let name = try reader.text()
            let root: UInt32 = try reader.number()
            guard root < entityCount else { throw MalformedBytes() }
            var slots: [Slot] = []
            for _ in 0..<(try reader.count(ofSize: 5)) { slots.append(Slot(kind: try reader.byte(), property: try reader.text())) }
            entities.append(Entity(name: name, root: Int(root), slots: slots))
        }
        var tables: [Table] = []
        for _ in 0..<(try reader.count(ofSize: 18)) {
            tables.append(Table(first: try Self.end(&reader, entityCount), second: try Self.end(&reader, entityCount)))
        }
        try reader.end()
        self.entities = entities
        self.tables = tables
    }

    private static func end(_ reader: inout ByteReader, _ entityCount: Int) throws(MalformedBytes) -> End {
        let entity: UInt32 = try reader.number()
        guard entity < entityCount else { throw MalformedBytes() }
        return End(entity: Int(entity), property: try reader.text(), isOrdered: try reader.byte() != 0)
    }

    func write(to writer: inout ByteWriter) {
        writer.put(UInt32(entities.count))
        for entity in entities {
            writer.put(text: entity.name)
            writer.put(UInt32(entity.root))
            writer.put(UInt32(entity.slots.count))
            for slot in entity.slots {
                writer.put(slot.kind)
                writer.put(text: slot.property)
            }
        }
        writer.put(UInt32(tables.count))
        for table in tables {
            for end in [table.first, table.second] {
                writer.put(UInt32(end.entity))
                writer.put(text: end.property)
                writer.put(UInt8(end.isOrdered ? 1 : 0))
            }
        }
    }
}
