import StrataEngine

/// Completes the rows whose values are in files of their own.
struct ExternalRowFiller {
    let mapping: SchemaMapping
    let model: ManagedObjectModel
    let external: ExternalValues
    let errors: BinaryErrors

    /// Replaces the rows that lack values by complete ones.
    func fill(_ contents: inout TableContents, _ owners: ExternalOwners) throws {
        if owners.values.isEmpty { return }
        var count = 0
        for (key, value) in owners.values where value.source == .base {
            guard key.root < mapping.entities.count, let root = mapping.entities[key.root] else { throw ownerless }
            if let blocks = contents.blocks[root] {
                guard let row = try blocks.row(key.reference) else { throw ownerless }
                contents.rows[root, default: []].append(try filled(row, value.entries, root))
            } else {
                guard let position = contents.rows[root].flatMap({ position(of: key.reference, in: $0) }),
                    let row = contents.rows[root]?[position]
                else { throw ownerless }
                contents.rows[root]?[position] = try filled(row, value.entries, root)
            }
            count += 1
        }
        for save in contents.saves.indices {
            for step in contents.saves[save].steps.indices {
                guard case .changes(var changes) = contents.saves[save].steps[step] else { continue }
                for index in changes.inserted.indices {
                    let row = changes.inserted[index]
                    let root = model.entities[row.entityIndex].root
                    guard let fileRoot = mapping.entities.firstIndex(of: root),
                        let value = owners.values[.init(root: fileRoot, reference: row.reference)],
                        value.source == .init(save: save, step: step)
                    else { continue }
                    changes.inserted[index] = try filled(row, value.entries, root)
                    count += 1
                }
                contents.saves[save].steps[step] = .changes(changes)
            }
        }
        guard count == owners.values.count else { throw ownerless }
    }

    private var ownerless: StoreError { errors.corrupt("a value in a file of its own belongs to no row") }

    private func filled(_ row: Row, _ entries: [ExternalSection.Entry], _ root: EntityIndex) throws -> Row {
        let layout = model.entities[row.entityIndex].layout
        var values: [Slot: Result<[UInt8], UnavailableValue>] = [:]
        for entry in entries {
            guard layout.slots.typedIndices().contains(entry.slot), layout.slots[entry.slot].kind.isVariable, row.isNull(entry.slot) else {
                throw errors.corrupt("a value in a file of its own belongs to no attribute")
            }
            let location = ExternalValues.Location(root: root, reference: row.reference, slot: entry.slot)
            values[entry.slot] = try external.value(named: entry.name, at: location)
        }
        let size = values.values.reduce(row.byteCount) { $0 + ((try? $1.get().count) ?? 0) }
        guard size < Int(Int32.max) else {
            throw StoreError(.tooLarge, errors.operation, "the values of one object exceed 2 GiB", path: errors.path)
        }
        var writer = RowWriter(forOneRowOf: size + 16)
        writer.begin(layout, entityIndex: row.entityIndex, reference: row.reference, version: row.version)
        for (slot, description) in layout.indexedSlots {
            switch values[slot] {
            case .success(let bytes): unsafe bytes.withUnsafeBytes { unsafe writer.set(bytes: $0, at: slot) }
            case .failure(let unavailable): writer.set(unavailable, at: slot)
            case nil: writer.copy(slot, description.kind, from: row)
            }
        }
        return writer.finish()
    }

    private func position(of reference: Int64, in rows: [Row]) -> Int? {
        var (low, high) = (0, rows.count)
        while low < high {
            let middle = (low + high) / 2
            if rows[middle].reference < reference { low = middle + 1 } else { high = middle }
        }
        return low < rows.count && rows[low].reference == reference ? low : nil
    }
}

extension RowBlockSource {
    /// Returns the row with a reference, after reading its block.
    fileprivate func row(_ reference: Int64) throws -> Row? {
        let key = UInt64(bitPattern: reference) >> 6
        var (low, high) = (0, blockCount)
        while low < high {
            let middle = (low + high) / 2
            if references(ofBlock: middle).key < key { low = middle + 1 } else { high = middle }
        }
        guard low < blockCount, references(ofBlock: low).key == key else { return nil }
        return try rows(ofBlock: low).first { $0.reference == reference }
    }
}
