import StrataStore

/// The values of a row for a uniqueness constraint.
struct UniqueKey: Hashable {
    /// The index of the constraint among the entity's.
    let constraint: Int
    let values: [Value]
}

/// The rows by their unique values, in the store and among rows about to be inserted.
struct UniqueRows {
    let model: ManagedObjectModel
    let entity: EntityDescription
    /// The references of the rows.
    private(set) var owners: [UniqueKey: Int64] = [:]
    /// The rows by reference.
    private(set) var rows: [Int64: Row] = [:]

    /// Returns the keys of a row, except for constraints with a missing value.
    func keys(of row: Row) -> [UniqueKey] {
        entity.uniquenessConstraints.enumerated().compactMap { index, constraint in
            constraint.slots.contains(where: { row.isNull($0) }) ? nil : key(of: row, index)
        }
    }

    private func key(of row: Row, _ index: Int) -> UniqueKey {
        let constraint = entity.uniquenessConstraints[index]
        let slots = model.entities[constraint.declaringEntity].layout.slots
        return UniqueKey(constraint: index, values: constraint.slots.map { row.value($0, slots[$0].kind) })
    }

    /// Records a row as it will be.
    mutating func write(_ row: Row, keys: [UniqueKey]? = nil) {
        if let old = rows[row.reference] {
            for key in self.keys(of: old) where owners[key] == row.reference { owners[key] = nil }
        }
        for key in keys ?? self.keys(of: row) { owners[key] = row.reference }
        rows[row.reference] = row
    }

    mutating func load(_ keys: [[UniqueKey]], _ reader: any StoreReader) throws {
        let wanted = Set(keys.joined())
        for (index, constraint) in entity.uniquenessConstraints.enumerated() {
            let keys = wanted.filter { $0.constraint == index }
            if keys.isEmpty { continue }
            let conditions = constraint.names.enumerated().map { position, name -> QueryPredicate in
                let values = Set(keys.map { $0.values[position] })
                let isAmong = QueryExpression.keyPath(name).isIn(values)
                // For a constraint NaN is a value; for predicates it differs from itself.
                guard values.contains(where: \.isNaN) else { return isAmong }
                return .or([isAmong, .comparison(QueryComparison(.keyPath(name), .notEqual, .keyPath(name)))])
            }
            let declaring = model.entities[constraint.declaringEntity]
            var plan = FetchPlan(declaring)
            plan.predicate = try QueryPredicate.and(conditions).resolved(for: declaring, in: model)
            for row in try model.checked(reader.answer(plan).requireRows(), .batchInsert) {
                let key = key(of: row, index)
                guard wanted.contains(key) else { continue }
                owners[key] = row.reference
                rows[row.reference] = row
            }
        }
    }
}
