import StrataSQL

/// Derives the tables and columns that Core Data gives a model.
struct SchemaCompiler {
    private let model: ManagedObjectModel
    private let numbers: [Int]
    private let namesPaths: Bool
    private var names = NameRegistry(reserved: ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"])

    /// Tables for the entities of a configuration.
    ///
    /// - Parameters:
    ///   - numbers: The number of each entity in the store; Core Data numbers them in the model's order, from 1.
    ///   - namesPaths: Whether columns of composite attributes have their paths as names, and are in the order of these,
    ///     as in Strata's own earlier layout.
    static func compile(
        _ model: ManagedObjectModel, configuration: String?, numbers: [Int]? = nil, namesPaths: Bool = false
    ) -> (schema: StoreSchema, names: NameRegistry) {
        var compiler = SchemaCompiler(
            model: model, numbers: numbers ?? model.entities.map { $0.index.rawValue + 1 }, namesPaths: namesPaths)
        return (compiler.compile(configuration), compiler.names)
    }

    private mutating func compile(_ configuration: String?) -> StoreSchema {
        let roots = Set((model.entities(inConfiguration: configuration) ?? []).map { model.entities[$0].root })
        var tables: [EntityIndex: EntityTable] = [:]
        // Names are assigned over the whole model, so that they do not depend on the configuration.
        for entity in model.entities where entity.superentity == nil {
            let name = names.take("Z" + entity.name.uppercased())
            if roots.contains(entity.index) { tables[entity.index] = table(of: entity, name: name) }
        }
        let suffixes = joinColumns()
        let joins = model.linkTables.map { link in
            let join = join(link, suffixes)
            return [link.first.entity, link.second.entity].allSatisfy { roots.contains(model.entities[$0].root) } ? join : nil
        }
        return StoreSchema(tables: tables, joins: joins, numbers: numbers, details: ())
    }

    // MARK: - Entity tables

    /// The group of a slot's column in the order of a table's columns.
    private enum Group: Int {
        case integer, toOne, hidden, order, number, decimal, string, uri, uuid, transformable, binary

        init(_ kind: SlotKind) {
            self =
                switch kind {
                case .integer, .boolean, .reference, .entity, .order: .integer
                case .double, .float, .date: .number
                case .decimal: .decimal
                case .string: .string
                case .uri: .uri
                case .uuid: .uuid
                case .transformable: .transformable
                case .binary: .binary
                }
        }
    }

    private struct Entry {
        var group: Group
        var entity: EntityIndex
        var sequence: Int
        var slot: Slot
        var column: Column
    }

    private func table(of root: EntityDescription, name: String) -> EntityTable {
        var names = NameRegistry(reserved: ["Z_PK", "Z_ENT", "Z_OPT"])
        var entries: [Entry] = []
        for index in root.hierarchy {
            let entity = model.entities[index]
            for (property, columnName) in columnOrder(of: entity) {
                switch property {
                case .attribute(let attribute):
                    guard attribute.declaringEntity == index, let slot = attribute.slot else { continue }
                    let name = names.take("Z" + columnName.uppercased())
                    entries.append(entry(attribute, slot: slot, name: name, entries.count))
                case .relationship(let relationship):
                    guard relationship.declaringEntity == index else { continue }
                    entries += toOne(relationship, &names, entries.count)
                }
            }
        }
        entries.sort { SchemaCompiler.sortKey($0).lexicographicallyPrecedes(SchemaCompiler.sortKey($1)) }
        var columnIndex: [[Int]: Int] = [:]
        for (index, entry) in entries.enumerated() { columnIndex[[entry.entity.rawValue, entry.slot.rawValue]] = index }
        let slotColumns = root.hierarchy.map { index in
            model.entities[index].layout.indexedSlots.map { slot, description in
                let property = model.entities[index].properties[description.property]
                let declaring = property.attribute?.declaringEntity ?? property.relationship?.declaringEntity ?? index
                return columnIndex[[declaring.rawValue, slot.rawValue]] ?? 0
            }
        }
        return EntityTable(
            name: name, root: root.index, hierarchy: root.hierarchy, columns: entries.map(\.column), slotColumns: slotColumns,
            numbers: root.hierarchy.map { numbers[$0] }, details: ())
    }

    /// Returns the properties of an entity in the order of their columns, with the names of these after the Z.
    ///
    /// A composite attribute is sorted among the others by its name; its elements follow in the model's order, each with
    /// its own name alone.
    private func columnOrder(of entity: EntityDescription) -> [(PropertyDescription, String)] {
        let plain = entity.properties.map { ($0, $0.name) }
        // Nested ones are among the attributes of the outermost.
        let composites = entity.compositeAttributes.filter { !$0.name.contains(".") }
        if namesPaths || composites.isEmpty { return plain }
        var remaining = Dictionary(composites.map { ($0.name, $0.attributes) }) { first, _ in first }
        return plain.flatMap { property, name -> [(PropertyDescription, String)] in
            guard property.attribute != nil, let dot = name.firstIndex(of: ".") else { return [(property, name)] }
            let elements = remaining.removeValue(forKey: String(name[..<dot])) ?? []
            return elements.map { (.attribute($0), String($0.name.split(separator: ".").last ?? "")) }
        }
    }

    /// Groups first; integers and to-one relationships alternate from entity to entity within one.
    private static func sortKey(_ entry: Entry) -> [Int] {
        switch entry.group {
        case .integer: [0, entry.entity.rawValue, 0, entry.sequence]
        case .toOne: [0, entry.entity.rawValue, 1, entry.sequence]
        default: [entry.group.rawValue, entry.entity.rawValue, 0, entry.sequence]
        }
    }

    private func entry(_ attribute: AttributeDescription, slot: Slot, name: String, _ sequence: Int) -> Entry {
        let kind = attribute.slotKind
        let isExternal = attribute.declaration.allowsExternalStorage && (kind == .binary || kind == .transformable)
        return Entry(
            group: Group(kind), entity: attribute.declaringEntity, sequence: sequence, slot: slot,
            column: Column(name: name, kind: kind, property: attribute.name, isExternal: isExternal, isIndexed: false))
    }

    private func toOne(_ relationship: RelationshipDescription, _ names: inout NameRegistry, _ sequence: Int) -> [Entry] {
        guard case .toOne(let reference, let entity, let order) = relationship.storage else { return [] }
        let name =
            relationship.isHidden
            ? String(numbers[relationship.destination]) + (relationship.declaration.inverse ?? relationship.name).uppercased()
            : relationship.name.uppercased()
        let rootNumber = numbers[model.entities[relationship.destination].root]
        let taken = names.take { suffix in
            var candidates = ["Z" + name + suffix]
            if entity != nil { candidates.append("Z" + String(rootNumber) + "_" + name + suffix) }
            if order != nil { candidates.append("Z_FOK_" + name + suffix) }
            return candidates
        }
        func entry(_ slot: Slot, _ kind: SlotKind, _ name: String, _ group: Group, _ offset: Int) -> Entry {
            Entry(
                group: group, entity: relationship.declaringEntity, sequence: sequence + offset, slot: slot,
                column: Column(
                    name: name, kind: kind, property: relationship.name, isExternal: false, isIndexed: kind == .reference))
        }
        let group: Group = relationship.isHidden ? .hidden : .toOne
        var entries = [entry(reference, .reference, taken[0], group, 0)]
        if let entity {
            entries.append(entry(entity, .entity, taken[1], group, 1))
            entries[1].column.isOurs = relationship.isHidden
        }
        if let order, let name = taken.last { entries.append(entry(order, .order, name, .order, 2)) }
        return entries
    }

    // MARK: - Join tables

    /// Returns the name of the column with an entity's references in a join table, by the relationship's inverse.
    private func joinColumns() -> [[Int]: String] {
        var columns: [[Int]: String] = [:]
        for entity in model.entities {
            var counts: [String: Int] = [:]
            for property in entity.properties {
                guard let relationship = property.relationship, relationship.declaringEntity == entity.index,
                    case .links = relationship.storage, let inverse = model.inverse(of: relationship)
                else { continue }
                let name = String(numbers[entity.index]) + inverse.name.uppercased()
                let count = counts[name, default: 0]
                counts[name] = count + 1
                columns[[entity.index.rawValue, relationship.index]] = count == 0 ? name : name + String(count)
            }
        }
        return columns
    }

    private mutating func join(_ link: LinkTable, _ columns: [[Int]: String]) -> JoinTable {
        let namingSide = self.namingSide(of: link)
        let name = names.take(SchemaCompiler.tableName(of: link, namedBy: namingSide, model, numbers))
        let first = columns[[link.first.entity.rawValue, link.first.property]] ?? ""
        if link.isReflexive {
            return JoinTable(
                name: name, first: "Z_" + first, second: "REFLEXIVE", orderInFirst: link.first.isOrdered ? "Z_FOK_" + first : nil,
                orderInSecond: link.first.isOrdered ? "Z_FOK_REFLEXIVE" : nil, details: ())
        }
        var second = columns[[link.second.entity.rawValue, link.second.property]] ?? ""
        if second == first { second += "1" }
        return JoinTable(
            name: name, first: "Z_" + first, second: "Z_" + second, orderInFirst: link.first.isOrdered ? "Z_FOK_" + second : nil,
            orderInSecond: link.second.isOrdered ? "Z_FOK_" + first : nil, leadingSide: namingSide, details: ())
    }

    /// Returns the side whose relationship names the table: the lower entity's, and within one entity that with the greater name.
    private func namingSide(of link: LinkTable) -> LinkSide {
        guard link.first.entity == link.second.entity else { return .first }
        let (first, second) = (SchemaCompiler.relationshipName(link.first, model), SchemaCompiler.relationshipName(link.second, model))
        return first.utf8.lexicographicallyPrecedes(second.utf8) ? .second : .first
    }

    /// Returns the name of a join table in Core Data when a side names it: `Z_1PROJECTS`.
    static func tableName(of link: LinkTable, namedBy side: LinkSide, _ model: ManagedObjectModel, _ numbers: [Int]) -> String {
        let end = link.end(side)
        return "Z_" + String(numbers[end.entity]) + relationshipName(end, model).uppercased()
    }

    private static func relationshipName(_ end: LinkTable.End, _ model: ManagedObjectModel) -> String {
        model.entities[end.entity].properties[end.property].name
    }
}

extension StoreSchema {
    /// Whether columns of composite attributes have their paths as names.
    var namesPaths: Bool { tables.values.contains { $0.columns.contains { $0.name.contains(".") } } }
}
