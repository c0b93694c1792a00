import StrataModel

/// The IDs of objects after a save, by those before.
struct SavedIDs {
    private let identity: IdentityMap
    private var references: TemporaryTable
    /// The scope of objects after the save, by the index of their entity; `nil` where the save inserted none.
    private var scopes: [ObjectIDScope?]
    /// The IDs of objects in another store than the others of their entity.
    private var others: [Int64: ObjectID] = [:]

    /// - Parameter extents: The temporary references that the save gives permanent ones for, by store.
    init(_ identity: IdentityMap, _ extents: [TemporaryTable.Extent] = []) {
        self.identity = identity
        references = TemporaryTable(TemporaryTable.Extent(uniting: extents))
        scopes = Array(repeating: nil, count: references.isEmpty ? 0 : identity.temporaryScopes.entityIndices.count)
    }

    mutating func add(_ temporary: Int64, _ reference: Int64, _ scope: ObjectIDScope) {
        references[temporary] = reference
        let entity = scope.entityIndex
        if let known = scopes[entity] {
            if known != scope { others[temporary] = ObjectID(scope: scope, reference: reference) }
        } else {
            scopes[entity] = scope
        }
    }

    /// The ID after the save.
    subscript(id: ObjectID) -> ObjectID {
        guard id.reference < 0 else { return id }
        if let reference = references[id.reference] {
            if let other = others[id.reference] { return other }
            if let scope = scopes[id.scope.entityIndex] { return ObjectID(scope: scope, reference: reference) }
        }
        return identity.permanent(id)
    }

    /// Returns the scope that all IDs of a temporary scope get by the save; `nil` where there are several.
    func scope(_ temporary: ObjectIDScope) -> ObjectIDScope? {
        temporary.isTemporary && others.isEmpty && !references.isEmpty ? scopes[temporary.entityIndex] : nil
    }

    /// Replaces temporary references by permanent ones; returns false, with nothing changed, where one is missing.
    func rename(_ temporary: inout [Int64]) -> Bool {
        for reference in temporary where references[reference] == nil { return false }
        for index in temporary.indices { temporary[index] = references[temporary[index]] ?? 0 }
        return true
    }
}
