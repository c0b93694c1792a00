import CStrataLMDB
import StrataEngine

/// The databases of a model, by name.
struct SchemaPlan {
    struct Index {
        let name: String
        let title: String
        let kind: StoreSchema.Index.Kind
        let entities: Range<EntityIndex>
        let elements: [IndexDescription.Element]
        let isExternal: Bool

        /// The definition of the index in the catalog.
        let definition: String

        var databaseKind: LMDBEnvironment.DatabaseKind { if case .inverse = kind { .inverse } else { .index } }
    }

    let model: ManagedObjectModel
    let roots: [EntityIndex]
    private(set) var indexes: [Index] = []
    private(set) var tables: [LinkTable] = []

    init(model: ManagedObjectModel, configuration: String?) {
        self.model = model
        let held = model.entities(inConfiguration: configuration) ?? []
        let roots = Set(held.map { model.entities[$0].root })
        self.roots = roots.sorted()
        for entity in model.entities where roots.contains(entity.root) { for index in ModelIndex.declared(by: entity) { add(index) } }
        tables = model.linkTables.filter { table in
            roots.contains(model.entities[table.first.entity].root) || roots.contains(model.entities[table.second.entity].root)
        }
    }

    var databases: [(name: String, kind: LMDBEnvironment.DatabaseKind)] {
        var databases: [(String, LMDBEnvironment.DatabaseKind)] = [(Names.store, .records), (Names.history, .rows)]
        databases += roots.map { (rowsName($0), .rows) }
        databases += indexes.map { ($0.name, $0.databaseKind) }
        for table in tables { databases += [(linksName(table, .first), .links), (linksName(table, .second), .links)] }
        return databases
    }

    func rowsName(_ root: EntityIndex) -> String { Names.rows(root: model.entities[root].name) }

    func linksName(_ table: LinkTable, _ side: LinkSide) -> String {
        let entity = model.entities[table.first.entity]
        return Names.links(entity.properties[table.first.property].name, of: entity.name, isSecond: side == .second)
    }

    /// Returns the catalog of a new store, or of one to which the model adds entities or indexes.
    func catalog(after old: Catalog?) -> Catalog {
        var catalog = old ?? Catalog()
        catalog.indexes = Dictionary(indexes.map { ($0.name, $0.definition) }) { first, _ in first }
        var taken = Set(catalog.entities.map(\.number))
        let known = Set(catalog.entities.map(\.name))
        for entity in model.entities where roots.contains(entity.root) && !known.contains(entity.name) {
            let number = taken.contains(entity.index.rawValue) ? (taken.max() ?? -1) + 1 : entity.index.rawValue
            taken.insert(number)
            catalog.entities.append(
                Catalog.Entity(
                    number: number, name: entity.name, root: entity.rootName, versionHash: entity.versionHash,
                    slots: Catalog.slots(of: entity)))
        }
        if let old, old != catalog { catalog.generation += 1 }
        return catalog
    }

    /// Returns the names of the entities whose rows in the file have another layout than in the model.
    func differingEntities(in catalog: Catalog) -> [String] {
        catalog.entities.filter { entity in
            guard let own = model.entity(named: entity.name), roots.contains(own.root) else { return false }
            return own.rootName != entity.root || Catalog.slots(of: own) != entity.slots
        }.map(\.name).sorted()
    }

    /// Returns the schema with a handle for every database; optionally without fetch indexes that the catalog lacks.
    func schema(_ catalog: Catalog, onlyKnownIndexes: Bool = false, _ handle: (String) -> MDB_dbi?) -> StoreSchema? {
        guard let store = handle(Names.store) else { return nil }
        var hierarchies: [StoreSchema.Hierarchy] = []
        for root in roots {
            guard let rows = handle(rowsName(root)) else { return nil }
            hierarchies.append(StoreSchema.Hierarchy(root: root, entities: model.entities[root].hierarchy, rows: rows))
        }
        var indexes: [StoreSchema.Index] = []
        for index in self.indexes {
            if onlyKnownIndexes, case .fetch = index.kind, catalog.indexes[index.name] != index.definition { continue }
            guard let database = handle(index.name) else { return nil }
            indexes.append(StoreSchema.Index(index, database))
        }
        var links: [StoreSchema.Links] = []
        for table in tables {
            guard let first = handle(linksName(table, .first)), let second = handle(linksName(table, .second)) else { return nil }
            links.append(StoreSchema.Links(table: table, first: first, second: second))
        }
        return StoreSchema(
            model: model, generation: catalog.generation, numbers: EntityNumbers(model: model, catalog: catalog),
            databases: StoreSchema.Databases(store: store, hierarchies: hierarchies, indexes: indexes, links: links))
    }

    private mutating func add(_ index: ModelIndex) {
        let name: String
        let kind: StoreSchema.Index.Kind
        switch index.purpose {
        case .fetch(let fetch): (name, kind) = (Names.index(fetch, of: index.entity.name), .fetch)
        case .inverse(let relationship): (name, kind) = (Names.inverse(relationship, of: index.entity.name), .inverse)
        case .unique(let constraint):
            (name, kind) = (Names.unique(constraint.names, of: index.entity.name), .unique(names: constraint.names))
        }
        if indexes.contains(where: { $0.name == name }) { return }
        let definition = index.elements.map { element in
            "\(index.property(of: element)):\(element.kind.rawValue)\(element.isAscending ? "+" : "-")"
        }
        indexes.append(
            Index(
                name: name, title: index.title, kind: kind, entities: index.entity.hierarchy, elements: index.elements,
                isExternal: index.isExternal, definition: definition.joined(separator: ",")))
    }
}
