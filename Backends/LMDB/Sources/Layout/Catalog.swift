import StrataFiles
import StrataModel
import StrataText

/// The file's own description: its entities with their numbers and slots, and its indexes.
struct Catalog: Equatable {
    struct Entity: Equatable {
        /// The number in the rows.
        var number: Int
        var name: String
        var root: String
        var versionHash: [UInt8]
        var slots: [Slot]
    }

    struct Slot: Equatable {
        var property: String
        var kind: UInt8
    }

    /// Incremented by each change of the catalog.
    var generation: Int64 = 1
    var entities: [Entity] = []
    /// The definition of each index, by the name of its database.
    var indexes: [String: String] = [:]

    static func slots(of entity: EntityDescription) -> [Slot] {
        entity.layout.slots.map { slot in
            Slot(
                property: entity.properties.indices.contains(slot.property) ? entity.properties[slot.property].name : "",
                kind: slot.kind.rawValue)
        }
    }

    func encoded() -> [UInt8] {
        var writer = ByteWriter()
        writer.put(generation)
        writer.put(count: entities.count)
        for entity in entities {
            writer.put(Int64(entity.number))
            writer.put(text: entity.name)
            writer.put(text: entity.root)
            writer.put(content: entity.versionHash)
            writer.put(count: entity.slots.count)
            for slot in entity.slots {
                writer.put(text: slot.property)
                writer.put(slot.kind)
            }
        }
        writer.put(count: indexes.count)
        for (name, content) in indexes.sortedByKey() {
            writer.put(text: name)
            writer.put(text: content)
        }
        return writer.record()
    }

    init() {}

    init(_ bytes: UnsafeRawBufferPointer) throws(MalformedBytes) {
        var reader = try unsafe ByteReader(record: bytes)
        generation = try reader.number()
        for _ in 0..<(try reader.count()) {
            let number = try reader.index()
            var entity = unsafe Entity(
                number: number, name: try reader.text(), root: try reader.text(), versionHash: Array(try reader.content()), slots: [])
            for _ in 0..<(try reader.count()) {
                let property = try reader.text()
                entity.slots.append(Slot(property: property, kind: try reader.byte()))
            }
            entities.append(entity)
        }
        for _ in 0..<(try reader.count()) {
            let name = try reader.text()
            indexes[name] = try reader.text()
        }
        guard reader.isAtEnd, Set(entities.map(\.number)).count == entities.count else { throw MalformedBytes() }
    }
}
