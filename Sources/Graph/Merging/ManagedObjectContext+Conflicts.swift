import StrataCoordinator
import StrataStore

extension ManagedObjectContext {
    /// Returns a conflict with the values of its objects, here and in their stores; unreadable ones are left out.
    func describing(_ error: SaveConflictError) -> SaveConflictError {
        SaveConflictError(conflicts: error.conflicts.map { describing($0) })
    }

    private func describing(_ conflict: SaveConflictError.Conflict) -> SaveConflictError.Conflict {
        var conflict = conflict
        if let object = registered(conflict.objectID) {
            conflict.objectSnapshot = object.currentValues()
            conflict.cachedSnapshot = object.row.flatMap { values(of: $0, conflict.objectID) }
            conflict.oldVersionNumber = object.isNew ? 0 : object.row?.version ?? 0
        }
        switch conflict.reason {
        case .changed(let row):
            conflict.persistedSnapshot = values(of: row, conflict.objectID)
            conflict.newVersionNumber = row.version
        case .deleted: break
        case .missingDestination, .referenced:
            conflict.persistedSnapshot = conflict.cachedSnapshot
            conflict.newVersionNumber = conflict.oldVersionNumber
        case .constraint(let names, _):
            guard let id = conflict.otherID else { break }
            let other = registered(id)
            let changed = other.map { other in
                names.contains { other.entity.property(named: $0).map { other.isPending($0.index) } ?? false }
            }
            conflict.isWithinContext = other.map { $0.isNew || changed == true } ?? false
            if conflict.isWithinContext {
                conflict.persistedSnapshot = other?.currentValues()
            } else if let row = try? loader.savedRow(of: id) {
                conflict.persistedSnapshot = values(of: row, id)
            }
        }
        return conflict
    }

    /// Returns the values of a row near an object, by name; `nil` where the row's store was removed.
    private func values(of row: Row, _ id: ObjectID) -> [String: Value]? {
        guard model.entities.typedIndices().contains(row.entityIndex) else { return nil }
        let scopes = try? id.isTemporary ? identity.temporaryScopes : loader.scopes(of: id)
        return scopes.map { row.values(in: model.entities[row.entityIndex], $0) }
    }
}

extension ManagedObject {
    /// Returns the current persistent values by name: attributes and, as IDs, to-one relationships.
    final func currentValues() -> [String: Value] {
        var values: [String: Value] = [:]
        for property in entity.properties where entity.propertySlots[property.index].slot != nil {
            if property.relationship?.isHidden != true { values[property.name] = currentValue(property) }
        }
        return values
    }
}
