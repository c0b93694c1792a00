import StrataEngine
import StrataModel
import StrataStore

/// The statements that make the tables of a store.
struct SchemaWriter {
    let model: ManagedObjectModel
    let schema: StoreSchema

    /// The tables of a model in a schema that has none yet.
    init(_ model: ManagedObjectModel, configuration: String?, in name: String) throws {
        self.model = model
        let catalog = Catalog(model)
        schema = try SchemaResolver(model: model, configuration: configuration, catalog: catalog, name: name).schema()
    }

    /// What makes the tables and sequences; indexes are better made once rows are there.
    var tables: SQLText {
        var sql = SQLText()
        for table in sortedTables {
            sql.add(creation(of: table))
            sql.add("CREATE SEQUENCE ")
            sql.add(table.sequence)
            sql.add(" AS bigint MINVALUE 0 START WITH 0 OWNED BY ")
            sql.add(table.name)
            sql.add(".")
            sql.add(identifier: EntityTable.id)
            sql.add("; SELECT pg_catalog.setval(")
            sql.add(relation: table.sequence)
            sql.add(", 0); ")
        }
        for link in model.linkTables {
            if let join = schema.joins[link.index] { sql.add(creation(of: join, link)) }
        }
        return sql
    }

    /// What makes the indexes and the constraints.
    var indexes: SQLText {
        var sql = SQLText()
        for table in sortedTables {
            for index in table.tree.flatMap({ ModelIndex.declared(by: model.entities[$0]) }) { sql.add(creation(of: index, table)) }
        }
        for link in model.linkTables {
            if let join = schema.joins[link.index] { sql.add(index(of: join, link)) }
        }
        return sql
    }

    private var sortedTables: [EntityTable] { schema.tables.values.sorted { $0.root < $1.root } }

    private func name(_ role: Catalog.Key.Role, _ entity: EntityIndex, _ property: String = "") -> String {
        schema.catalog.names[Catalog.Key(role: role, entity: model.entities[entity].name, property: property)] ?? ""
    }

    /// `CREATE TABLE "s"."person" ("_id" bigint CONSTRAINT "person_key" PRIMARY KEY, …, "name" text COLLATE "C"); `.
    private func creation(of table: EntityTable) -> SQLText {
        var sql = SQLText("CREATE TABLE ")
        sql.add(table.name)
        sql.add(" (")
        sql.add(identifier: EntityTable.id)
        sql.add(" bigint CONSTRAINT ")
        sql.add(identifier: name(.primaryKey, table.root))
        sql.add(" PRIMARY KEY, ")
        sql.add(identifier: EntityTable.entity)
        sql.add(" integer NOT NULL, ")
        sql.add(identifier: EntityTable.version)
        sql.add(" bigint NOT NULL")
        for column in table.columns {
            sql.add(", ")
            sql.add(identifier: column.name)
            sql.add(" ")
            sql.add(declaring: column.type)
        }
        sql.add("); ")
        return sql
    }

    private func relationship(_ link: LinkTable) -> String { model.entities[link.first.entity].properties[link.first.property].name }

    private func creation(of join: JoinTable, _ link: LinkTable) -> SQLText {
        var sql = SQLText("CREATE TABLE ")
        sql.add(join.name)
        sql.add(" (")
        for column in join.columns {
            sql.add(identifier: column)
            sql.add(" bigint, ")
        }
        sql.add("CONSTRAINT ")
        sql.add(identifier: name(.linkKey, link.first.entity, relationship(link)))
        sql.add(" PRIMARY KEY (")
        sql.add(identifier: join.first)
        sql.add(", ")
        sql.add(identifier: join.second)
        sql.add(")); ")
        return sql
    }

    /// `CREATE INDEX "person_friends_back" ON "s"."person_friends" ("person_id_2", "person_id"); `.
    private func index(of join: JoinTable, _ link: LinkTable) -> SQLText {
        var sql = SQLText("CREATE INDEX ")
        sql.add(identifier: name(.linkIndex, link.first.entity, relationship(link)))
        sql.add(" ON ")
        sql.add(join.name)
        sql.add(" (")
        sql.add(identifier: join.second)
        sql.add(", ")
        sql.add(identifier: join.first)
        sql.add("); ")
        return sql
    }

    // MARK: - Indexes

    private func creation(of index: ModelIndex, _ table: EntityTable) -> SQLText {
        let columns = index.elements.map { (table.column($0.slot, of: index.entity.index), $0.isAscending) }
        guard let name = schema.catalog.names[index.key] else { return SQLText() }
        if case .unique = index.purpose { return constraint(name, index, columns.map(\.0.name), table) }
        // No index of the server's takes long bytes.
        if columns.contains(where: { $0.0.type == .bytea }) { return SQLText() }
        var sql = SQLText("CREATE INDEX ")
        sql.add(identifier: name)
        sql.add(" ON ")
        sql.add(table.name)
        sql.add(" (")
        sql.add(columns, separator: ", ") {
            $0.add(identifier: $1.0.name)
            $0.add($1.1 ? " ASC NULLS FIRST" : " DESC NULLS LAST")
        }
        sql.add("); ")
        return sql
    }

    /// Checked when a transaction ends: within one, objects may exchange their values.
    ///
    /// ```sql
    /// ALTER TABLE "s"."person" ADD CONSTRAINT "person_email_unique" UNIQUE ("email") DEFERRABLE INITIALLY DEFERRED
    /// ALTER TABLE "s"."person" ADD CONSTRAINT … EXCLUDE ("email" WITH =) WHERE ("_entity" IN (2)) DEFERRABLE INITIALLY DEFERRED
    /// ```
    private func constraint(_ name: String, _ index: ModelIndex, _ columns: [String], _ table: EntityTable) -> SQLText {
        let entity = index.entity
        var sql = SQLText("ALTER TABLE ")
        sql.add(table.name)
        sql.add(" ADD CONSTRAINT ")
        sql.add(identifier: name)
        // A column of the entity's own is empty in all other rows; over inherited ones alone the others have to be left out.
        let areInherited = index.elements.allSatisfy { element in
            entity.properties[entity.layout.slots[element.slot].property].attribute?.declaringEntity != entity.index
        }
        if areInherited && entity.tree.count < table.tree.count {
            sql.add(" EXCLUDE (")
            sql.add(columns, separator: ", ") {
                $0.add(identifier: $1)
                $0.add(" WITH =")
            }
            sql.add(") WHERE (")
            sql.add(table.condition(entity.tree))
            sql.add(")")
        } else {
            sql.add(" UNIQUE (")
            sql.add(columns, separator: ", ") { $0.add(identifier: $1) }
            sql.add(")")
        }
        sql.add(" DEFERRABLE INITIALLY DEFERRED; ")
        return sql
    }
}

extension EntityTable {
    /// `"_entity" IN (2, 3)`.
    func condition(_ entities: Range<EntityIndex>, alias: Int? = nil) -> SQLText {
        var sql = SQLText()
        if let alias { sql.add(column: EntityTable.entity, of: alias) } else { sql.add(identifier: EntityTable.entity) }
        sql.add(" IN (")
        sql.add(entities, separator: ", ") { $0.add(number: number(of: $1)) }
        sql.add(")")
        return sql
    }
}
