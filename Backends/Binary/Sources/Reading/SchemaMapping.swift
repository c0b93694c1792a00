import StrataModel

/// Maps the indexes of a file to those of a model.
struct SchemaMapping {
    /// Whether the indexes are the same, so that rows are used in place.
    let isIdentity: Bool
    /// For every entity of the file the index in the model; `nil` if the model has none with the same rows.
    let entities: [EntityIndex?]
    /// For every link table of the file the index in the model, and whether the sides are swapped.
    let tables: [(index: Int, isSwapped: Bool)?]

    init(_ file: SchemaSection, _ model: ManagedObjectModel) {
        let own = SchemaSection(model)
        isIdentity = file == own
        let entities = file.entities.map { entity -> EntityIndex? in
            guard let found = model.entity(named: entity.name), own.entities[found.index].slots == entity.slots else { return nil }
            return found.index
        }
        self.entities = entities
        func matches(_ end: SchemaSection.End, _ other: SchemaSection.End) -> Bool {
            entities[end.entity]?.rawValue == other.entity && end.property == other.property && end.isOrdered == other.isOrdered
        }
        tables = file.tables.map { table in
            for (index, other) in own.tables.enumerated() {
                if matches(table.first, other.first) && matches(table.second, other.second) { return (index, false) }
                if matches(table.first, other.second) && matches(table.second, other.first) { return (index, true) }
            }
            return nil
        }
    }
}
