import StrataStore

/// Finds the destinations of a batch insert's relationships, in the store that gets the objects.
struct BatchLinker {
    /// The links of a new row.
    struct Links {
        let rowIndex: Int
        let relationship: RelationshipDescription
        /// The references of the destinations, in the order given.
        let others: [Int64]
    }

    /// The number of cached values of each attribute.
    private static let mostKnown = 1 << 16

    private let model: ManagedObjectModel
    private let entity: EntityDescription
    private let entry: StoreEntry
    /// The objects by given values of attributes and by given IDs; `nil` where there are several.
    private var known: [BatchReference.Target: [Value: ObjectReference?]] = [:]
    /// The last keys of ordered relationships that rows joined, by their slots and the references of their owners.
    private var lastKeys: [Slot: [Int64: OrderKey]] = [:]
    private var writer = RowWriter()

    init(_ entity: EntityDescription, _ model: ManagedObjectModel, _ entry: StoreEntry) {
        self.entity = entity
        self.model = model
        self.entry = entry
    }

    private func relationship(_ target: BatchReference.Target) -> RelationshipDescription? {
        entity.properties[target.property].relationship
    }

    /// Returns the attribute that identifies the destinations.
    private func attribute(_ target: BatchReference.Target) -> AttributeDescription? {
        guard let index = target.attribute, let relationship = relationship(target) else { return nil }
        return model.destination(of: relationship).properties[index].attribute
    }

    // MARK: - References between objects of the request

    /// Returns the attributes by which objects of the request may reference others of it.
    private func ownTargets(_ chunk: BatchRowPacker.Chunk) -> [(target: BatchReference.Target, slot: Slot, kind: SlotKind)] {
        Set(chunk.references.map(\.reference.target)).compactMap { target in
            guard let relationship = relationship(target), let attribute = attribute(target), let slot = attribute.slot,
                model.destination(of: relationship).hierarchy.contains(entity.index)
            else { return nil }
            return (target, slot, attribute.slotKind)
        }
    }

    /// Returns the number of rows from an index on that reference no earlier one of them: these are written first, and
    /// found then.
    mutating func countOfIndependent(_ chunk: BatchRowPacker.Chunk, from start: Int) -> Int {
        let targets = ownTargets(chunk)
        if targets.isEmpty { return chunk.rows.count - start }
        var own: [BatchReference.Target: Set<Value>] = [:]
        var next = chunk.references.firstIndex { $0.rowIndex >= start } ?? chunk.references.endIndex
        for rowIndex in start..<chunk.rows.count {
            while next < chunk.references.endIndex, chunk.references[next].rowIndex == rowIndex {
                let reference = chunk.references[next].reference
                if let values = own[reference.target], reference.values.contains(where: values.contains) { return rowIndex - start }
                next += 1
            }
            for (target, slot, kind) in targets {
                let value = chunk.rows[rowIndex].value(slot, kind)
                own[target, default: []].insert(value)
                // There may be several of them now.
                known[target]?[value] = nil
            }
        }
        return chunk.rows.count - start
    }

    // MARK: - Finding

    /// Sets the destinations of rows.
    ///
    /// - Returns: The links.
    /// - Throws: `StoreError` with `notFound` or `wrongValue` where there is not exactly one destination, or
    ///   `crossStore`; what the store throws.
    mutating func fill(_ chunk: inout BatchRowPacker.Chunk, _ reader: any StoreReader) throws -> [Links] {
        try load(chunk.references.map(\.reference), reader)
        var links: [Links] = []
        var start = 0
        while start < chunk.references.count {
            let rowIndex = chunk.references[start].rowIndex
            let end = chunk.references[start...].firstIndex { $0.rowIndex != rowIndex } ?? chunk.references.endIndex
            writer.begin(copying: chunk.rows[rowIndex])
            for (_, reference) in chunk.references[start..<end] {
                guard let relationship = relationship(reference.target) else { continue }
                let found = try reference.values.map { try destination($0, reference.target, relationship) }
                switch relationship.storage {
                case .toOne(let slot, let entitySlot, let orderSlot):
                    // Needed where the row is united with another.
                    if !entity.uniquenessConstraints.isEmpty {
                        chunk.toOnes[rowIndex, default: []].append((slot, entitySlot, orderSlot))
                    }
                    guard let destination = found.first else { continue }
                    writer.set(integer: destination.reference, at: slot)
                    if let entitySlot { writer.set(integer: Int64(destination.entity.rawValue), at: entitySlot) }
                    if let orderSlot { writer.set(order: try nextKey(orderSlot, destination, relationship, reader), at: orderSlot) }
                case .links:
                    var seen: Set<Int64> = []
                    let others = found.map(\.reference).filter { seen.insert($0).inserted }
                    links.append(Links(rowIndex: rowIndex, relationship: relationship, others: others))
                case .inverse, .none: continue
                }
            }
            chunk.rows[rowIndex] = writer.finish()
            start = end
        }
        return links
    }

    private mutating func load(_ references: [BatchReference], _ reader: any StoreReader) throws {
        var wanted: [BatchReference.Target: Set<Value>] = [:]
        for reference in references {
            for value in reference.values where known[reference.target]?[value] == nil {
                wanted[reference.target, default: []].insert(value)
            }
        }
        for (target, values) in wanted {
            guard let relationship = relationship(target) else { continue }
            if (known[target]?.count ?? 0) + values.count > BatchLinker.mostKnown {
                // Destinations in this chunk are looked up again.
                known[target] = nil
                let all = references.lazy.filter { $0.target == target }.flatMap(\.values)
                try load(Set(all), target, relationship, reader)
            } else {
                try load(values, target, relationship, reader)
            }
        }
    }

    private mutating func load(
        _ values: Set<Value>, _ target: BatchReference.Target, _ relationship: RelationshipDescription, _ reader: any StoreReader
    ) throws {
        let destination = model.destination(of: relationship)
        var found = known.removeValue(forKey: target) ?? [:]
        defer { known[target] = found }
        // An entity of other stores has no object in this one.
        let isHeld = entry.mayHave(anyOf: destination.hierarchy)
        guard let attribute = attribute(target), let slot = attribute.slot else {
            let ids = try values.compactMap { value -> ObjectID? in
                guard case .objectID(let id) = value else { return nil }
                guard id.storeID == entry.store.id else {
                    throw StoreError(
                        .crossStore, .batchInsert, "\(id) is in another store than the new objects", entity: entity.name,
                        key: relationship.name)
                }
                return id
            }
            let existing = !isHeld ? [] : try reader.existing(root: destination.root, references: ids.map(\.reference))
            let byReference = Dictionary(existing.map { ($0.reference, $0) }) { first, _ in first }
            for id in ids {
                if let there = byReference[id.reference], destination.hierarchy.contains(there.entity) {
                    found[.objectID(id)] = .some(there)
                }
            }
            return
        }
        guard isHeld else { return }
        var plan = FetchPlan(destination)
        plan.predicate = try key(attribute.name).isIn(values).resolved(for: destination, in: model)
        for row in try model.checked(reader.answer(plan).requireRows(), .batchInsert) {
            let value = row.value(slot, attribute.slotKind)
            let isSecond = found[value] != nil
            found[value] = .some(isSecond ? nil : ObjectReference(entity: row.entityIndex, reference: row.reference))
        }
    }

    private func destination(
        _ value: Value, _ target: BatchReference.Target, _ relationship: RelationshipDescription
    ) throws -> ObjectReference {
        func error(_ code: StoreError.Code, _ number: String) -> StoreError {
            let path = [relationship.name, attribute(target)?.name].compactMap(\.self).joined(separator: ".")
            let message = "\(number) \(model.destination(of: relationship).name) with \(value.excerpt)"
            return StoreError(code, .batchInsert, message, entity: entity.name, key: path)
        }
        guard let found = known[target]?[value] else { throw error(.notFound, "there is no") }
        guard let found else { throw error(.wrongValue, "there are several") }
        return found
    }

    private mutating func nextKey(
        _ slot: Slot, _ destination: ObjectReference, _ relationship: RelationshipDescription, _ reader: any StoreReader
    ) throws -> OrderKey {
        var last = lastKeys[slot]?[destination.reference]
        if last == nil, let inverse = model.inverse(of: relationship),
            let row = try reader.row(root: model.entities[destination.entity].root, reference: destination.reference)
        {
            let members = try reader.destinations(of: inverse, root: entity.root, owner: row)
            last = members.compactMap { $0.order(slot) }.max()
        }
        let next = OrderKey(after: last)
        lastKeys[slot, default: [:]][destination.reference] = next
        return next
    }

    // MARK: - Links

    /// Returns the link changes of rows.
    ///
    /// - Parameter reference: The reference of a row in the store, and whether it existed before, with links of its
    ///   own; `nil` of one that is not inserted.
    func changes(
        _ links: [Links], _ reader: any StoreReader, reference: (Int) -> (reference: Int64, wasThere: Bool)?
    ) throws -> [LinkChange] {
        func id(_ relationship: RelationshipDescription, _ reference: Int64) -> RelationshipID {
            RelationshipID(entity: entity.index, reference: reference, property: relationship.index)
        }
        // Of several united objects, the last determines the destinations.
        var last: [RelationshipID: Int] = [:]
        var standings: [(reference: Int64, wasThere: Bool)?] = []
        for (rowIndex, link) in links.enumerated() {
            let standing = reference(link.rowIndex)
            standings.append(standing)
            if let standing { last[id(link.relationship, standing.reference)] = rowIndex }
        }
        var changes: [LinkChange] = []
        for (rowIndex, link) in links.enumerated() {
            guard let (own, wasThere) = standings[rowIndex], last[id(link.relationship, own)] == rowIndex,
                case .links(let table, let side) = link.relationship.storage
            else { continue }
            func add(_ kind: LinkChange.Kind, _ other: Int64, _ order: OrderKey?) {
                var ends = [(own, other)]
                if model.linkTables[table].isReflexive && own != other { ends.append((other, own)) }
                for (near, far) in ends {
                    let made =
                        side == .first
                        ? Link(first: near, second: far, orderInFirst: order) : Link(first: far, second: near, orderInSecond: order)
                    changes.append(LinkChange(table: table, kind: kind, link: made))
                }
            }
            if wasThere {
                let stay = Set(link.others)
                if model.linkTables[table].isReflexive {
                    // Earlier changes of a relationship that is its own inverse.
                    changes.removeAll {
                        let (first, second) = ($0.link.first, $0.link.second)
                        return $0.table == table && (first == own && !stay.contains(second) || second == own && !stay.contains(first))
                    }
                }
                for other in try reader.destinations(of: link.relationship, owner: own) where !stay.contains(other.reference) {
                    add(.remove, other.reference, nil)
                }
            }
            for (position, other) in link.others.enumerated() {
                add(.put, other, link.relationship.isOrdered ? OrderKey(at: position) : nil)
            }
        }
        return changes
    }
}
