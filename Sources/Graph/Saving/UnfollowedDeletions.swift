import StrataModel

extension ManagedObjectContext {
    /// Has relationships be loaded anew that hold objects whose deletion was saved, and whose rule of no action left them alone.
    ///
    /// - Complexity: O(n) in the registered objects where there is such a rule.
    func unloadMembers(deleted gone: [ManagedObject]) {
        var inverses: [(owner: EntityDescription, inverse: RelationshipDescription)] = []
        for entity in Set(gone.map(\.entity.index)).map({ model.entities[$0] }) {
            for relationship in entity.relationships where relationship.deleteRule == .noAction {
                guard let inverse = model.inverse(of: relationship), inverse.isToMany else { continue }
                inverses.append((model.destination(of: relationship), inverse))
            }
        }
        if inverses.isEmpty { return }
        let ids = Set(gone.map(\.objectID))
        for object in identity.all {
            for (owner, inverse) in inverses where object.entity.isKind(of: owner) {
                guard let state = object.extra?.toMany(inverse.index), state.isLoaded, state.members.contains(where: ids.contains) else {
                    continue
                }
                tracker.willReplaceValues(of: object, PropertySet(inverse.index))
                state.unload()
            }
        }
    }
}
