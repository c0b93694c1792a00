import StrataEngine
import StrataSQL

/// The statements that create the tables of a store.
struct SchemaWriter {
    let model: ManagedObjectModel
    let schema: StoreSchema

    /// The tables of a model in a schema without a store.
    ///
    /// - Parameter numbers: The numbers of entities that have one already.
    init(_ model: ManagedObjectModel, configuration: String?, in name: String, numbers: [String: Int] = [:]) throws {
        let catalog = Catalog(model, numbers: numbers)
        self.init(model, try SchemaResolver(model: model, configuration: configuration, catalog: catalog, name: name).schema())
    }

    /// The tables of an existing store.
    init(_ model: ManagedObjectModel, _ schema: StoreSchema) {
        self.model = model
        self.schema = schema
    }

    /// The statements that create the tables and sequences; indexes are created faster after the rows.
    var tables: SQLText {
        "\(sortedTables.map(creation) + schema.joins.compactMap(\.self).map(creation), separator: "")"
    }

    var sortedTables: [EntityTable] { schema.tables.values.sorted { $0.root < $1.root } }

    /// Returns the statements that create a table: the columns with the largest alignment come first, and those of variable length
    /// last, which avoids padding.
    ///
    /// ```sql
    /// CREATE TABLE "s"."person" ("_id" bigint CONSTRAINT "person_key" PRIMARY KEY, "_version" …, "_entity" …, "name" text COLLATE "C");
    /// CREATE SEQUENCE "s"."person_reference" AS bigint MINVALUE 0 START WITH 0 OWNED BY "s"."person"."_id"; SELECT pg_catalog.setval(…);
    /// ```
    func creation(of table: EntityTable) -> SQLText {
        func columns(_ alignments: Int...) -> [SQLText] {
            alignments.flatMap { alignment in table.columns.filter { $0.type.alignment == alignment } }.map { "\(declaring: $0)" }
        }
        let own: [SQLText] = [
            "\(identifier: EntityTable.id) bigint CONSTRAINT \(identifier: table.key) PRIMARY KEY",
            "\(identifier: EntityTable.version) bigint NOT NULL",
        ]
        return """
            CREATE TABLE \(table.name) (\(own + columns(8) + ["\(identifier: EntityTable.entity) integer NOT NULL"] + columns(4, 1, 0))); \
            CREATE SEQUENCE \(table.sequence) AS bigint MINVALUE 0 START WITH 0 OWNED BY \(table.name).\(identifier: EntityTable.id); \
            SELECT pg_catalog.setval(\(relation: table.sequence), 0); 
            """
    }

    func creation(of join: JoinTable) -> SQLText {
        let columns = join.columns.map { SQLText("\(identifier: $0) bigint") }
        return "CREATE TABLE \(join.name) (\(columns + [join.keyConstraint])); "
    }

    // MARK: - Indexes

    var indexDefinitions: [IndexDefinition] {
        sortedTables.flatMap { table in
            table.hierarchy.flatMap { ModelIndex.declared(by: model.entities[$0]) }.compactMap { definition(of: $0, table) }
        } + model.linkTables.compactMap(backIndex)
    }

    private func backIndex(of link: LinkTable) -> IndexDefinition? {
        guard let join = schema.joins[link.index] else { return nil }
        let relationship = model.entities[link.first.entity].properties[link.first.property].name
        let key = Catalog.Key(role: .linkIndex, entity: model.entities[link.first.entity].name, property: relationship)
        guard let name = schema.catalog.names[key] else { return nil }
        return IndexDefinition(
            name: name, table: join.name, kind: .back, elements: [join.second, join.first].map { IndexDefinition.Element(column: $0) })
    }

    func definition(of index: ModelIndex, _ table: EntityTable) -> IndexDefinition? {
        guard let name = schema.catalog.names[index.key] else { return nil }
        let entity = index.entity
        let columns = index.elements.map { table.column($0.slot, of: entity.index) }
        let elements = zip(columns, index.elements).map {
            IndexDefinition.Element(
                column: $0.name, content: $0.type == .text ? .text : $0.type == .bytea ? .bytes : .fixed, isAscending: $1.isAscending)
        }
        guard case .unique(let constraint) = index.purpose else {
            // No index type of the server supports long bytes.
            if columns.contains(where: { $0.type == .bytea }) { return nil }
            return IndexDefinition(name: name, table: table.name, kind: .fetch, elements: elements)
        }
        let numbers = table.entities(limiting: constraint, of: entity)
        return IndexDefinition(
            name: name, table: table.name, kind: numbers.isEmpty ? .unique : .exclusive(numbers),
            elements: elements,
            constraint: (constraint.names, entity.index))
    }
}

extension JoinTable {
    var key: String { details.key }

    /// `CONSTRAINT "person_friends_key" PRIMARY KEY ("person_id", "person_id_2")`.
    var keyConstraint: SQLText { "CONSTRAINT \(identifier: key) PRIMARY KEY (\(identifiers: [first, second]))" }
}
