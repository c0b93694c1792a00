import StrataSQL

/// The tables of a store with their model, and what writers need to know of them.
struct StoreLayout {
    let model: ManagedObjectModel
    let schema: StoreSchema
    /// Whether a migration creates foreign keys.
    let hasForeignKeys: Bool
    /// The indexes with text or binary values in their keys.
    let longKeyIndexes: [EntityIndex: [(definition: IndexDefinition, slots: [Slot])]]
    /// Whether there is a constraint that a save may violate, of uniqueness or a foreign key.
    let hasConstraints: Bool

    init(model: ManagedObjectModel, schema: StoreSchema, hasForeignKeys: Bool) {
        self.model = model
        self.schema = schema
        self.hasForeignKeys = hasForeignKeys
        longKeyIndexes = SchemaWriter(model, schema).longKeyIndexes
        hasConstraints = schema.tables.values.contains { table in
            table.hierarchy.contains { index in
                let entity = model.entities[index]
                return !entity.uniquenessConstraints.isEmpty || hasForeignKeys && entity.properties.contains { $0.relationship != nil }
            }
        }
    }
}
