public import StrataModel

extension LoggedChanges {
    /// Adds the rows of a transaction of the history.
    public mutating func add(rowsOf body: HistoryBody, of model: ManagedObjectModel) {
        let roots = body.entities.map { model.entity(named: $0.name)?.root }
        var references: [EntityIndex: [Int64]] = [:]
        for change in body.changes {
            if let root = roots[change.entity] { references[root, default: []].append(change.reference) }
        }
        for (root, references) in references { add(references, root: root) }
    }

    /// Adds the tables with links that a transaction of the history may have changed.
    ///
    /// New and deleted objects are listed without their links: all tables of their entities may have changed.
    public mutating func add(linkTablesOf body: HistoryBody, of model: ManagedObjectModel) {
        let ends = body.entities.map { stored -> [(table: Int, name: String)] in
            guard let entity = model.entity(named: stored.name) else { return [] }
            return model.linkTables.flatMap { table in
                [table.first, table.second].filter { model.entities[$0.entity].hierarchy.contains(entity.index) }
                    .map { (table.index, model.entities[$0.entity].properties[$0.property].name) }
            }
        }
        if ends.allSatisfy(\.isEmpty) { return }
        for change in body.changes {
            let entity = body.entities[change.entity]
            let names = change.set.map { entity.sets[$0].map { entity.properties[$0] } }
            for end in ends[change.entity] where names?.contains(end.name) != false { add(linkTable: end.table) }
        }
    }
}
