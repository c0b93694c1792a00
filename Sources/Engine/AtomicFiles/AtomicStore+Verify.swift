extension AtomicStore {
    var condition: StoreCondition {
        do { try checkUsable(.fetch) } catch { return StoreCondition(failure: error) }
        return StoreCondition()
    }

    /// Reads the file once more, with all its checksums; throws `StoreError` where the file is missing, replaced or
    /// damaged, as a save does.
    func verify(limit: Int) throws -> [StoreProblem] {
        try checkUsable(.verify)
        try requirePresent(.verify)
        let (contents, _) = try readFile(.verify)
        let version = try TableVersion(contents, engine.schema, path: file.path)
        var problems = Array(contents.problems.prefix(limit))
        for (root, rows) in try version.contents(engine.schema).rows {
            for row in rows {
                let entity = model.entities[row.entityIndex]
                for (slot, _) in externalSlots[row.entityIndex] {
                    // Values that were lost when the store was opened are found in its rows.
                    guard let value = row.unavailableValue(slot), problems.count < limit,
                        try engine.reader.row(root: root, reference: row.reference)?.isUnavailable(slot) != true
                    else { continue }
                    let key = entity.properties[entity.layout.slots[slot].property].name
                    let message = StoreError(value, .verify).message
                    problems.append(StoreProblem(.value, message, entity: entity.name, reference: row.reference, key: key))
                }
            }
        }
        return problems
    }
}
