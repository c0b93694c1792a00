/// The tables of a store.
public struct StoreSchema<Dialect: SQLDialect>: Sendable {
    /// The table of each root entity, by its index; none for hierarchies that the store's configuration does not touch.
    public var tables: [EntityIndex: EntityTable<Dialect>]
    /// The table of each of the model's link tables; `nil` where a side is not in the store.
    public var joins: [JoinTable<Dialect>?]
    /// The number of each entity of the model, 0 for those that the store does not know.
    public var numbers: [Int]
    /// The dialect's data of the schema.
    public var details: Dialect.SchemaDetails

    /// A schema with the properties of the same names.
    public init(
        tables: [EntityIndex: EntityTable<Dialect>], joins: [JoinTable<Dialect>?], numbers: [Int], details: Dialect.SchemaDetails
    ) {
        self.tables = tables
        self.joins = joins
        self.numbers = numbers
        self.details = details
    }

    /// Returns the entity of a number; `nil` for one that is no entity's of the model.
    @inlinable
    public func entity(ofNumber number: Int64) -> EntityIndex? {
        // Numbers run with the indexes, from 1, in all stores but those whose entities were numbered by another model.
        let guess = Int(truncatingIfNeeded: number) &- 1
        if numbers.indices.contains(guess), numbers[guess] == number { return EntityIndex(guess) }
        return number > 0 ? numbers.firstIndex { $0 == number }.map { EntityIndex($0) } : nil
    }

    /// Returns the table of an entity's hierarchy.
    @inlinable public func table(of entity: EntityDescription) -> EntityTable<Dialect>? { tables[entity.root] }

    /// Returns the table of an entity's hierarchy, by the entity's index.
    ///
    /// - Throws: `StoreError` with `unknownEntity` for an entity that the store does not have.
    public func requireTable(
        of entity: EntityIndex, in model: ManagedObjectModel, _ operation: StoreError.Operation, path: String? = nil
    ) throws -> EntityTable<Dialect> {
        let entity = entity >= 0 && entity.rawValue < model.entities.count ? model.entities[entity] : nil
        if let table = entity.flatMap({ table(of: $0) }) { return table }
        throw StoreError(
            .unknownEntity, operation, "the store's configuration has no such entity", path: path, entity: entity?.name)
    }
}
