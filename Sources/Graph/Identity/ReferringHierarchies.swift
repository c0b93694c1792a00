import StrataModel

/// The entity hierarchies whose objects may reference those of another one, by the index of its root.
struct ReferringHierarchies {
    /// The names of the roots of the hierarchies with to-one relationships, and with to-many ones.
    private var toOne: [EntityIndex: Set<String>] = [:]
    private var toMany: [EntityIndex: Set<String>] = [:]

    init(_ model: ManagedObjectModel) {
        for entity in model.entities {
            for relationship in entity.properties.lazy.compactMap(\.relationship) {
                let root = model.destination(of: relationship).root
                if relationship.isToMany {
                    toMany[root, default: []].insert(entity.rootName)
                } else {
                    toOne[root, default: []].insert(entity.rootName)
                }
            }
        }
    }

    /// Returns the names of the roots of hierarchies with relationships of a kind, `nil` for both, to some others.
    func names(referencing roots: Set<EntityIndex>, isToMany: Bool?) -> Set<String> {
        roots.reduce(into: []) { names, root in
            if isToMany != true { names.formUnion(toOne[root] ?? []) }
            if isToMany != false { names.formUnion(toMany[root] ?? []) }
        }
    }
}

extension ManagedObjectContext {
    /// Returns the registered objects that may reference an object of some hierarchies, by the indexes of the roots.
    ///
    /// Many merges follow each other, and the changed objects, which may be as many as are registered, mostly reference
    /// objects of other hierarchies.
    ///
    /// - Parameter isToMany: The kind of relationships; `nil` for both.
    func objects(referencingAnyOf roots: Set<EntityIndex>, isToMany: Bool? = nil) -> [ManagedObject] {
        let hierarchies = modelCache.referringHierarchies ?? ReferringHierarchies(model)
        modelCache.referringHierarchies = hierarchies
        return identity.all(of: hierarchies.names(referencing: roots, isToMany: isToMany))
    }
}
