import StrataModel
import StrataStore

/// The names of new rows in their request: the references of a failed save are invalid afterwards.
struct TemporaryNames {
    private var temporary: [RowID: Int64] = [:]
    /// The indices of the new rows in their request.
    private var indices: [RowID: Int] = [:]
    private let entities: [EntityIndex]
    private let model: ManagedObjectModel
    private let scopes: ObjectIDScopes

    init(_ requested: [Int64], _ resolved: [Row], _ model: ManagedObjectModel) {
        self.model = model
        scopes = ObjectIDScopes(model: model, storeID: nil)
        entities = resolved.map(\.entityIndex)
        for (index, (before, after)) in zip(requested, resolved).enumerated() {
            let id = RowID(after.entityIndex, after.reference, model)
            indices[id] = index
            if before < 0 { temporary[id] = before }
        }
    }

    /// Returns the conflicts in an order that does not depend on the store, and of two new rows with the same values
    /// the later one's.
    func inOrder(_ conflicts: [StoreConflict]) -> [StoreConflict] {
        func rank(_ conflict: StoreConflict) -> (EntityIndex, Int64) { (model.entities[conflict.entity].root, conflict.reference) }
        return conflicts.map(ofLaterRow).sorted { rank($0) < rank($1) }
    }

    private func ofLaterRow(_ conflict: StoreConflict) -> StoreConflict {
        let root = model.entities[conflict.entity].root
        guard case .constraint(let names, let other) = conflict.reason,
            let index = indices[RowID(root: root, reference: conflict.reference)],
            let later = indices[RowID(root: root, reference: other)], index < later
        else { return conflict }
        return StoreConflict(entity: entities[later], reference: other, reason: .constraint(names, other: conflict.reference))
    }

    func conflict(_ conflict: StoreConflict, _ saved: ObjectIDScopes, _ values: [String: Value]) -> SaveConflictError.Conflict {
        let root = model.entities[conflict.entity].root
        func id(_ reference: Int64, _ entity: EntityIndex) -> ObjectID {
            let own = temporary[RowID(root: root, reference: reference)]
            return ObjectID(scope: (own == nil ? saved : scopes)[entity], reference: own ?? reference)
        }
        var (reason, otherID): (StoreConflict.Reason, ObjectID?) = (conflict.reason, nil)
        var related: [ObjectReference] = []
        switch conflict.reason {
        case .constraint(let names, let other):
            let found = id(other, root)
            (reason, otherID) = (.constraint(names, other: found.reference), found)
        case .missingDestination(_, let destination): related = [destination]
        case .referenced(_, let others): related = others
        case .changed, .deleted: break
        }
        return SaveConflictError.Conflict(
            objectID: id(conflict.reference, conflict.entity), reason: reason, otherID: otherID, values: values,
            relatedIDs: related.map { ObjectID(scope: saved[$0.entity], reference: $0.reference) })
    }
}
