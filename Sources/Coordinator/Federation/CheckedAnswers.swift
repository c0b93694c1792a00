package import StrataStore

/// Checks answers of stores for indexes out of range, and for properties that an object does not have: a damaged
/// file, or an error in a custom store, can cause them.
extension StoreEntry {
    /// Returns the IDs of a store's objects, all of them of some entities; throws `StoreError` with `corrupt` where one
    /// is of another entity.
    func ids(
        _ references: [ObjectReference], of entities: Range<EntityIndex>, _ operation: StoreError.Operation,
        _ relationship: RelationshipDescription? = nil
    ) throws -> [ObjectID] {
        try references.map { reference in
            guard entities.contains(reference.entity) else {
                throw StoreError(
                    .corrupt, operation, "the store names an object of an entity that cannot be there", path: store.path,
                    entity: scopes[entities.lowerBound].entity.name, key: relationship?.name)
            }
            return ObjectID(scope: scopes[reference.entity], reference: reference.reference)
        }
    }

    /// Reserves references, see ``/StrataStore/StoreTransaction/reserveReferences(_:root:)``; throws `StoreError`, with
    /// `tooLarge` where the store has none left.
    func reserveReferences(_ count: Int, root: EntityIndex, in transaction: any StoreTransaction) throws -> Int64 {
        let first = try transaction.reserveReferences(count, root: root)
        guard first > 0, !first.addingReportingOverflow(Int64(count)).overflow else {
            throw StoreError(.tooLarge, .save, "the store has no references left", path: store.path)
        }
        return first
    }

    /// Returns a store's conflicts, after checking their entities; throws `StoreError` with `corrupt` where the model
    /// lacks one.
    func checked(_ conflicts: [StoreConflict]) throws -> [StoreConflict] {
        for conflict in conflicts {
            let others: [ObjectReference] =
                switch conflict.reason {
                case .missingDestination(_, let destination): [destination]
                case .referenced(_, let others): others
                case .changed(let row): [ObjectReference(entity: row.entityIndex, reference: row.reference)]
                case .deleted, .constraint: []
                }
            guard (others.map(\.entity) + [conflict.entity]).allSatisfy({ scopes.entityIndices.contains($0) }) else {
                throw StoreError(.corrupt, .save, "the store names a conflict of an entity that the model does not have", path: store.path)
            }
        }
        return conflicts
    }
}

extension ObjectIDScopes {
    /// Returns the scope of a store's row; throws `StoreError` with `corrupt` where the model does not have the row's
    /// entity.
    package func scope(of row: Row, _ operation: StoreError.Operation = .fetch) throws(StoreError) -> ObjectIDScope {
        guard entityIndices.contains(row.entityIndex) else { throw StoreError(rowOfUnknownEntity: row, operation) }
        return self[row.entityIndex]
    }
}

extension ManagedObjectModel {
    /// Returns a store's rows, after checking their entities; throws `StoreError` with `corrupt` where the model lacks
    /// one.
    func checked(_ rows: [Row], _ operation: StoreError.Operation) throws(StoreError) -> [Row] {
        let indices: Range<EntityIndex> = entities.typedIndices()
        for row in rows where !indices.contains(row.entityIndex) { throw StoreError(rowOfUnknownEntity: row, operation) }
        return rows
    }
}

extension StoreError {
    /// Creates the error of a request to a store that is not open in the coordinator.
    init(noStore storeID: StoreID, _ operation: Operation, entity: String? = nil) {
        self.init(.noStore, operation, "the coordinator has no store \(storeID)", entity: entity)
    }

    fileprivate init(rowOfUnknownEntity row: Row, _ operation: Operation) {
        self.init(.corrupt, operation, "a store answered row \(row.reference) of an entity that the model does not have")
    }
}

extension ObjectID {
    /// Returns whether a row is that of the object: one of another entity, after a URI or a damaged reference, has
    /// other slots.
    func isOf(_ row: Row) -> Bool { scope.entity.hierarchy.contains(row.entityIndex) }
}
