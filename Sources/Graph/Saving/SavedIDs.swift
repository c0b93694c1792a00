import StrataModel

/// The IDs of objects after a save, by those before.
struct SavedIDs {
    private let identity: IdentityMap
    private var references: TemporaryTable
    /// The scopes of the first store with new objects.
    private let scopes: ObjectIDScopes?
    /// The IDs of new objects in other stores.
    private var others: [Int64: ObjectID] = [:]

    /// - Parameters:
    ///   - extent: The temporary references that the save gives permanent ones for.
    ///   - scopes: The scopes of a store with new objects, if any.
    init(_ identity: IdentityMap, _ extent: TemporaryTable.Extent = TemporaryTable.Extent(), _ scopes: ObjectIDScopes? = nil) {
        self.identity = identity
        self.scopes = scopes
        references = TemporaryTable(extent)
    }

    mutating func add(_ temporary: Int64, _ reference: Int64, _ scope: ObjectIDScope) {
        references[temporary] = reference
        if scopes?[scope.entityIndex] != scope { others[temporary] = ObjectID(scope: scope, reference: reference) }
    }

    /// The ID after the save.
    subscript(id: ObjectID) -> ObjectID {
        guard id.reference < 0 else { return id }
        if let reference = references[id.reference] {
            if !others.isEmpty, let other = others[id.reference] { return other }
            if let scopes { return ObjectID(scope: scopes[id.scope.entityIndex], reference: reference) }
        }
        return identity.permanent(id)
    }

    /// Returns the scope that all IDs of a temporary scope get by the save; `nil` where there are several.
    func scope(_ temporary: ObjectIDScope) -> ObjectIDScope? {
        temporary.isTemporary && others.isEmpty && !references.isEmpty ? scopes?[temporary.entityIndex] : nil
    }

    /// Replaces temporary references by permanent ones; returns false, with nothing changed, where one is missing.
    func rename(_ temporary: inout [Int64]) -> Bool {
        for reference in temporary where references[reference] == nil { return false }
        for index in temporary.indices { temporary[index] = references[temporary[index]] ?? 0 }
        return true
    }
}
