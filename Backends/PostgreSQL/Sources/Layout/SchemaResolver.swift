import StrataSQL

/// Finds the tables and columns of a model by the names that a store's catalogue gives them.
struct SchemaResolver {
    let model: ManagedObjectModel
    let configuration: String?
    let catalog: Catalog
    /// The name of the schema.
    let name: String

    /// - Throws: `StoreError` with `incompatibleModel` where the catalogue lacks a part of the model.
    func schema() throws -> StoreSchema {
        let roots = Set((model.entities(inConfiguration: configuration) ?? []).map { model.entities[$0].root })
        var tables: [EntityIndex: EntityTable] = [:]
        for root in roots { tables[root] = try table(of: model.entities[root]) }
        let joins = try model.linkTables.map { link in
            let isHere = [link.first.entity, link.second.entity].allSatisfy { roots.contains(model.entities[$0].root) }
            return isHere ? try join(link) : nil
        }
        let numbers = model.entities.map { catalog.numbers[$0.name] ?? 0 }
        return StoreSchema(tables: tables, joins: joins, numbers: numbers, details: .init(name: name, catalog: catalog))
    }

    private func table(of root: EntityDescription) throws -> EntityTable {
        var columns: [Column] = []
        var indexes: [String: Int] = [:]
        func columnIndex(_ role: Catalog.Key.Role, _ declaring: EntityIndex, _ property: String, _ kind: SlotKind) throws -> Int {
            let column = Column(
                name: try find(Catalog.Key(role: role, entity: model.entities[declaring].name, property: property)), kind: kind,
                property: property)
            if let known = indexes[column.name] { return known }
            indexes[column.name] = columns.count
            columns.append(column)
            return columns.count - 1
        }
        let slotColumns = try root.hierarchy.map { index in
            let entity = model.entities[index]
            return try entity.layout.indexedSlots.map { slot, description in
                switch entity.properties[description.property] {
                case .attribute(let attribute): try columnIndex(.column, attribute.declaringEntity, attribute.name, description.kind)
                case .relationship(let relationship):
                    try columnIndex(
                        description.kind == .entity ? .entityColumn : description.kind == .order ? .orderColumn : .column,
                        relationship.declaringEntity, relationship.name, description.kind)
                }
            }
        }
        let numbers = try root.hierarchy.map { index in
            guard let number = catalog.numbers[model.entities[index].name] else { throw missing(model.entities[index].name) }
            return number
        }
        return EntityTable(
            name: qualified(try find(Catalog.Key(role: .table, entity: root.name))), root: root.index, hierarchy: root.hierarchy,
            columns: columns,
            slotColumns: slotColumns, numbers: numbers,
            details: .init(
                sequence: qualified(try find(Catalog.Key(role: .sequence, entity: root.name))),
                key: try find(Catalog.Key(role: .primaryKey, entity: root.name))))
    }

    private func join(_ link: LinkTable) throws -> JoinTable {
        let first = model.entities[link.first.entity]
        let relationship = first.properties[link.first.property].name
        func find(_ role: Catalog.Key.Role) throws -> String {
            try self.find(Catalog.Key(role: role, entity: first.name, property: relationship))
        }
        return JoinTable(
            name: qualified(try find(.linkTable)), first: try find(.firstColumn), second: try find(.secondColumn),
            orderInFirst: link.first.isOrdered ? try find(.firstOrder) : nil,
            orderInSecond: link.second.isOrdered ? try find(.secondOrder) : nil, details: .init(key: try find(.linkKey)))
    }

    private func qualified(_ relation: String) -> QualifiedName { QualifiedName(schema: name, name: relation) }

    private func find(_ key: Catalog.Key) throws -> String {
        guard let name = catalog.names[key] else { throw missing(key.entity, key.property) }
        return name
    }

    private func missing(_ entity: String, _ property: String = "") -> StoreError {
        StoreError(
            .incompatibleModel, .open, "the store has nothing for what the model has", entity: entity,
            key: property.isEmpty ? nil : property)
    }
}
