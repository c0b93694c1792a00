import StrataEngine
import StrataModel
import StrataSQL

/// The indexes and uniqueness constraints of a store with text or bytes in their keys, for the rows of each entity.
struct LongKeyIndexes: Sendable {
    struct Index: Sendable {
        let definition: IndexDefinition
        /// The slots of the text and the bytes.
        let slots: [Slot]
    }

    private var byEntity: [EntityIndex: [Index]] = [:]

    init(_ writer: SchemaWriter) {
        for table in writer.sortedTables {
            for declaring in table.tree {
                for index in ModelIndex.declared(by: writer.model.entities[declaring]) {
                    guard let definition = writer.definition(of: index, table), definition.elements.contains(where: \.hasAnyLength) else {
                        continue
                    }
                    let columns = Set(definition.elements.filter(\.hasAnyLength).map(\.column))
                    for entity in writer.model.entities[declaring].tree {
                        let slots = writer.model.entities[entity].layout.indexedSlots.map(\.slot).filter {
                            columns.contains(table.column($0, of: entity).name)
                        }
                        byEntity[entity, default: []].append(Index(definition: definition, slots: slots))
                    }
                }
            }
        }
    }

    /// The indexes that hold the rows of an entity.
    subscript(entity: EntityIndex) -> [Index] { byEntity[entity] ?? [] }
}
