extension EntityTable {
    /// Selects the references, numbers of entities and versions of all rows: `SELECT t0.id, t0.entity, t0.version FROM person t0`.
    public var versions: SQLText<Dialect> {
        SQLText("SELECT \(columns: [Dialect.keyColumn, Dialect.entityColumn, Dialect.versionColumn]) FROM \(table: name) t0")
    }

    /// Returns the numbers of the entities to whose rows the index of a uniqueness constraint is limited; empty where it holds all rows.
    ///
    /// A column of the entity's own is empty in all other rows; over inherited ones alone the index has to leave those out.
    public func entities(limiting constraint: UniquenessConstraint, of entity: EntityDescription) -> [Int] {
        let areInherited = constraint.properties.allSatisfy { entity.properties[$0].attribute?.declaringEntity != entity.index }
        return areInherited && entity.hierarchy.count < hierarchy.count ? entity.hierarchy.map { number(of: $0) } : []
    }

    /// Selects the references of two rows with equal values in columns.
    ///
    /// ```sql
    /// SELECT min(id), max(id) FROM person WHERE email IS NOT NULL GROUP BY email HAVING count(*) > 1 LIMIT 1
    /// ```
    ///
    /// - Parameters:
    ///   - table: The name of the table.
    ///   - columns: The columns to compare.
    ///   - entities: The numbers of the entities whose rows count; empty for all.
    public static func duplicates(
        in table: Dialect.TableName, of columns: [String], ofEntities entities: [Int] = []
    ) -> SQLText<Dialect> {
        let key = SQLText<Dialect>(identifier: Dialect.keyColumn)
        var conditions = columns.map { SQLText<Dialect>("\(identifier: $0) IS NOT NULL") }
        if !entities.isEmpty { conditions.append("\(identifier: Dialect.entityColumn) IN (\(numbers: entities))") }
        return """
            SELECT min(\(key)), max(\(key)) FROM \(table: table) WHERE \(conditions, separator: " AND ") \
            GROUP BY \(identifiers: columns) HAVING count(*) > 1 LIMIT 1
            """
    }
}

extension JoinTable {
    /// Selects all links: the references, and the order keys where they are ordered.
    public var links: SQLText<Dialect> {
        SQLText("SELECT \(columns: [first, second, orderInFirst ?? first, orderInSecond ?? first]) FROM \(table: name) t0")
    }

    /// The columns of the order keys of a link, with the sides among whose destinations they order.
    public var orderColumns: [(column: String, side: LinkSide)] {
        [orderInFirst.map { ($0, .first) }, orderInSecond.map { ($0, .second) }].compactMap(\.self)
    }

    /// Returns the clause by which an insertion leaves a link that exists as it is, but for new values of its order keys:
    /// ` ON CONFLICT (a_id, b_id) DO UPDATE SET order_in_a = …`.
    public func conflictClause(_ assignments: [SQLText<Dialect>]) -> SQLText<Dialect> {
        let action: SQLText<Dialect> = assignments.isEmpty ? "NOTHING" : "UPDATE SET \(assignments)"
        return SQLText(" ON CONFLICT (\(identifiers: [first, second])) DO \(action)")
    }
}

extension StoreSchema {
    /// Returns the join tables that may have links of objects of an entity, with the side that these are on.
    public func links(of entity: EntityDescription, in model: ManagedObjectModel) -> [(join: JoinTable<Dialect>, side: LinkSide)] {
        model.linkTables.flatMap { link -> [(join: JoinTable<Dialect>, side: LinkSide)] in
            guard let join = joins[link.index] else { return [] }
            return [LinkSide.first, .second].compactMap { side in
                let end = model.entities[link.end(side).entity]
                return entity.isKind(of: end) || end.isKind(of: entity) ? (join, side) : nil
            }
        }
    }
}
