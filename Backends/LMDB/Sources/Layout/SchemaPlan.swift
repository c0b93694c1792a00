import CStrataLMDB
import StrataModel

/// The databases that a model asks for, by name.
struct SchemaPlan {
    struct Index {
        let name: String
        let title: String
        let kind: StoreSchema.Index.Kind
        let entities: Range<Int>
        let elements: [IndexElement]
        let isExternal: Bool

        /// What the index holds, as the catalog spells it.
        let definition: String

        var databaseKind: LMDBEnvironment.DatabaseKind {
            if case .inverse = kind { .inverse } else { .index }
        }
    }

    let model: ManagedObjectModel
    let roots: [Int]
    private(set) var indexes: [Index] = []
    private(set) var tables: [LinkTable] = []

    init(model: ManagedObjectModel, configuration: String?) {
        self.model = model
        let held = model.entities(inConfiguration: configuration) ?? []
        let roots = Set(held.map { model.entities[$0].root })
        self.roots = roots.sorted()
        for entity in model.entities where roots.contains(entity.root) { addIndexes(of: entity) }
        tables = model.linkTables.filter { table in
            roots.contains(model.entities[table.first.entity].root) || roots.contains(model.entities[table.second.entity].root)
        }
    }

    /// The name and the kind of every database.
    var databases: [(name: String, kind: LMDBEnvironment.DatabaseKind)] {
        var databases: [(String, LMDBEnvironment.DatabaseKind)] = [(Names.store, .records), (Names.history, .rows)]
        databases += roots.map { (rowsName($0), .rows) }
        databases += indexes.map { ($0.name, $0.databaseKind) }
        for table in tables { databases += [(linksName(table, .first), .links), (linksName(table, .second), .links)] }
        return databases
    }

    func rowsName(_ root: Int) -> String { Names.rows(root: model.entities[root].name) }

    func linksName(_ table: LinkTable, _ side: LinkSide) -> String {
        let entity = model.entities[table.first.entity]
        return Names.links(entity.properties[table.first.property].name, of: entity.name, isSecond: side == .second)
    }

    /// The catalog of a new store, or of one that the model adds something to.
    func catalog(after old: Catalog?) -> Catalog {
        var catalog = old ?? Catalog()
        catalog.indexes = Dictionary(indexes.map { ($0.name, $0.definition) }) { first, _ in first }
        var taken = Set(catalog.entities.map(\.number))
        let known = Set(catalog.entities.map(\.name))
        for entity in model.entities where roots.contains(entity.root) && !known.contains(entity.name) {
            let number = taken.contains(entity.index) ? (taken.max() ?? -1) + 1 : entity.index
            taken.insert(number)
            catalog.entities.append(
                Catalog.Entity(
                    number: number,
                    name: entity.name,
                    root: entity.rootName,
                    versionHash: entity.versionHash,
                    slots: Catalog.slots(of: entity)
                )
            )
        }
        if let old, old != catalog { catalog.generation += 1 }
        return catalog
    }

    /// The names of the entities whose rows in the file have another shape than in the model.
    func differingEntities(in catalog: Catalog) -> [String] {
        catalog.entities.filter { entity in
            guard let own = model.entity(named: entity.name), roots.contains(own.root) else { return false }
            return own.rootName != entity.root || Catalog.slots(of: own) != entity.slots
        }.map(\.name).sorted()
    }

    /// The schema, where every database has a handle.
    ///
    /// - Parameter onlyKnownIndexes: Whether fetch indexes that the catalog does not have are left out.
    func schema(_ catalog: Catalog, onlyKnownIndexes: Bool = false, _ handle: (String) -> MDB_dbi?) -> StoreSchema? {
        guard let store = handle(Names.store) else { return nil }
        var trees: [StoreSchema.Tree] = []
        for root in roots {
            guard let rows = handle(rowsName(root)) else { return nil }
            trees.append(StoreSchema.Tree(root: root, entities: model.entities[root].tree, rows: rows))
        }
        var indexes: [StoreSchema.Index] = []
        for index in self.indexes {
            if onlyKnownIndexes, case .fetch = index.kind, catalog.indexes[index.name] != index.definition { continue }
            guard let database = handle(index.name) else { return nil }
            indexes.append(
                StoreSchema.Index(
                    name: index.name,
                    title: index.title,
                    kind: index.kind,
                    database: database,
                    entities: index.entities,
                    elements: index.elements,
                    isExternal: index.isExternal
                )
            )
        }
        var links: [StoreSchema.Links] = []
        for table in tables {
            guard let first = handle(linksName(table, .first)), let second = handle(linksName(table, .second)) else { return nil }
            links.append(StoreSchema.Links(table: table, first: first, second: second))
        }
        return StoreSchema(
            model: model,
            store: store,
            generation: catalog.generation,
            numbers: EntityNumbers(model: model, catalog: catalog),
            trees: trees,
            indexes: indexes,
            links: links
        )
    }

    private mutating func addIndexes(of entity: EntityDescription) {
        for index in entity.indexes {
            let elements = index.elements.map {
                IndexElement(property: $0.property, slot: $0.slot, kind: $0.kind, isAscending: $0.isAscending)
            }
            add(Names.index(index.name, of: entity.name), index.name, .fetch, entity, elements)
        }
        for property in entity.properties {
            guard let relationship = property.relationship, relationship.declaringEntity == entity.index,
                case .toOne(let slot, _, _) = relationship.storage
            else { continue }
            let element = IndexElement(property: property.index, slot: slot, kind: .reference, isAscending: true)
            add(
                Names.inverse(relationship.name, of: entity.name), "\(entity.name).\(relationship.name)", .inverse, entity, [element])
        }
        for constraint in entity.uniquenessConstraints where constraint.declaringEntity == entity.index {
            let elements = zip(constraint.properties, constraint.slots).map { property, slot in
                IndexElement(
                    property: property,
                    slot: slot,
                    kind: entity.layout.slots[slot].kind,
                    isAscending: true
                )
            }
            add(
                Names.unique(constraint.names, of: entity.name), "unique \(constraint.names.joined(separator: ", "))",
                .unique(names: constraint.names), entity, elements)
        }
    }

    private mutating func add(
        _ name: String,
        _ title: String,
        _ kind: StoreSchema.Index.Kind,
        _ entity: EntityDescription,
        _ elements: [IndexElement]
    ) {
        if indexes.contains(where: { $0.name == name }) { return }
        let external = Set(StoreSchema.externalSlots(of: entity))
        let definition = elements.map { element in
            "\(entity.properties[element.property].name):\(element.kind.rawValue)\(element.isAscending ? "+" : "-")"
        }
        indexes.append(
            Index(
                name: name,
                title: title,
                kind: kind,
                entities: entity.tree,
                elements: elements,
                isExternal: elements.contains { external.contains($0.slot) },
                definition: definition.joined(separator: ",")
            )
        )
    }
}
