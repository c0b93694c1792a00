import StrataCoordinator
import StrataEvaluation
import StrataModel
import StrataQuery
import StrataStore

extension ManagedObjectContext {
    /// Prefetches the destinations along paths of relationships, step by step, with one round trip each; throws
    /// `QueryError` where a path names no relationship; what a store throws.
    func prefetch(_ keyPaths: [String], of objects: [ManagedObject], _ entity: EntityDescription) throws {
        var found = PrefetchedRows.Batch()
        // Paths with a common beginning share its steps.
        var steps: [String: PrefetchedStep] = [:]
        for keyPath in keyPaths {
            var (current, owners, path) = (entity, objects, "")
            let names = keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            for (depth, name) in names.enumerated() {
                guard let relationship = current.relationship(named: name), !relationship.isTransient, !relationship.isHidden
                else { throw QueryError(.unknownKey, entity: entity.name, subject: keyPath, "\(current.name) has no relationship \(name)") }
                path += "." + name
                if let step = steps[path] {
                    owners = step.destinations
                } else {
                    let reached = try destinations(of: relationship, from: owners, &found.rows)
                    // Unretained objects end with the prefetching, together with what was loaded into them.
                    if depth > 0 && relationship.isToMany { keepDestinations(of: relationship, from: owners, &found) }
                    steps[path] = PrefetchedStep(relationship: relationship, owners: owners, destinations: reached)
                    owners = reached
                }
                current = model.destination(of: relationship)
            }
        }
        loader.prefetcher.cache.add(found)
        if options.semantics.retainsDestinations { for step in steps.values { holdDestinations(of: step) } }
    }

    private func keepDestinations(
        of relationship: RelationshipDescription, from owners: [ManagedObject], _ found: inout PrefetchedRows.Batch
    ) {
        for owner in owners where !owner.isNew && !owner.hasChanges {
            guard let state = owner.extra?.toMany(relationship.index), state.isLoaded else { continue }
            let ids = state.saved
            if !ids.contains(where: \.isTemporary) { found.add(ids, of: relationship, from: owner.objectID) }
        }
    }

    /// Fires and retains the destinations of a step, as Core Data does.
    private func holdDestinations(of step: PrefetchedStep) {
        let relationship = step.relationship
        for owner in step.owners where !owner.isDeleted {
            if relationship.isToMany {
                let state = owner.state(relationship)
                let ids = relationship.isOrdered ? state.order : state.members
                owner.makeRetained().keep(ids.map { fault(with: $0) }, of: relationship.index)
            } else if let id = owner.heldDestination(relationship) {
                owner.makeRetained().keep(fault(with: id), of: relationship.index)
            }
        }
        for object in step.destinations { object.fireFault() }
    }

    private func destinations(
        of relationship: RelationshipDescription, from owners: [ManagedObject], _ rows: inout [ObjectID: Row]
    ) throws -> [ManagedObject] {
        try loader.loadRows(of: owners)
        let owners = owners.filter { !$0.isDeleted }
        if !relationship.isToMany {
            return try objectsWithRows(owners.compactMap { $0.heldDestination(relationship) }, &rows)
        }
        let unloaded = owners.filter { !$0.isNew && !$0.state(relationship).isLoaded }
        if let inverse = model.inverse(of: relationship), !inverse.isHidden, case .toOne = inverse.storage {
            try loadDestinations(of: relationship, from: unloaded, by: inverse, &rows)
        } else if !unloaded.isEmpty {
            let found = try source.destinationsWithRows(of: relationship, from: unloaded.map(\.objectID))
            for (owner, (ids, memberRows)) in zip(unloaded, zip(found.destinations, found.rows)) {
                loader.load(ids, of: relationship, into: owner)
                var ids = ids.makeIterator()
                for row in memberRows {
                    while let id = ids.next() {
                        guard id.reference == row.reference else { continue }
                        rows[id] = row
                        break
                    }
                }
            }
        }
        return try objectsWithRows(owners.flatMap { try $0.destinationIDs(relationship) }, &rows)
    }

    /// Loads the destinations of several objects in one fetch of the rows whose inverse references them.
    private func loadDestinations(
        of relationship: RelationshipDescription, from owners: [ManagedObject], by inverse: RelationshipDescription,
        _ rows: inout [ObjectID: Row]
    ) throws {
        guard !owners.isEmpty, case .toOne(let slot, _, let order) = inverse.storage else { return }
        let destination = model.destination(of: relationship)
        let stores = Set(try owners.map { try targetStoreID(of: $0) })
        let fetched = try retryingRenames {
            var plan = FetchPlan(destination)
            let condition = QueryExpression.keyPath(inverse.name).isIn(owners.map { .objectID($0.objectID) })
            plan.predicate = try condition.resolved(for: destination, in: model)
            return try source.fetch(plan, affectedStores: Array(stores)).requireRows()
        }
        var found: [StoreReference: [(order: OrderKey, id: ObjectID)]] = [:]
        for (index, row) in fetched.rows.enumerated() {
            let scopes = fetched.scopes(ofRowAt: index)
            let id = ObjectID(scope: try scopes.scope(of: row), reference: row.reference)
            rows[id] = row
            guard let owner = row.integer(slot) else { continue }
            let key = StoreReference(storeID: owner < 0 ? "" : try id.storeID ?? source.storeID(of: id), reference: owner)
            found[key, default: []].append((order.flatMap { row.order($0) } ?? 0, id))
        }
        for owner in owners {
            let key = StoreReference(storeID: owner.objectID.scope.storeID, reference: owner.objectID.reference)
            let members = (found[key] ?? []).sorted { ($0.order, $0.id.reference) < ($1.order, $1.id.reference) }
            loader.load(members.map(\.id), of: relationship, into: owner)
        }
    }

    /// A step along a path: its source objects and their destinations.
    private struct PrefetchedStep {
        let relationship: RelationshipDescription
        let owners: [ManagedObject]
        let destinations: [ManagedObject]
    }

    private struct StoreReference: Hashable {
        let storeID: StoreID
        let reference: Int64
    }

    /// Returns the distinct objects with some IDs; one round trip for missing rows.
    private func objectsWithRows(_ ids: [ObjectID], _ rows: inout [ObjectID: Row]) throws -> [ManagedObject] {
        var seen: Set<ObjectID> = []
        let ids = ids.map { identity.permanent($0) }.filter { seen.insert($0).inserted }
        let missing = ids.filter { id in
            if rows[id] != nil || loader.prefetcher.cache.hasRow(of: id) { return false }
            guard let object = registered(id) else { return true }
            return object.row == nil && !object.isNew
        }
        if !missing.isEmpty {
            for (id, row) in zip(missing, try loader.savedRows(of: missing)) {
                if let row { rows[id] = row }
            }
        }
        return try ids.map { id in
            guard let row = rows[id] else { return fault(with: id) }
            return try loader.object(of: row, try loader.scopes(of: id), for: self)
        }
    }
}
