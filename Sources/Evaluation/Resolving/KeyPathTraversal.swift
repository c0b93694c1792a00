/// Resolves the names of a key path in a model, up to the collection operators.
struct KeyPathTraversal {
    enum Start {
        case object(variable: Int, EntityDescription)
        case collection(ResolvedCollection)
    }

    enum End {
        /// A path without to-many steps: one value at most.
        case single(PropertyPath)
        /// A value of each element, or the elements themselves without a path.
        case several(ResolvedCollection, PropertyPath?)
    }

    /// Names of a key path, and all of it for errors.
    struct Names {
        let names: ArraySlice<String>
        let text: String
    }

    let end: End
    /// Whether the value is the name of the object's entity.
    let isEntityName: Bool

    /// - Parameters:
    ///   - nextVariable: The number for the elements of a new collection, which increments it.
    ///   - takesComposite: Whether the path may end at a composite attribute as a whole.
    /// - Throws: `QueryError` for an unknown key, a step from an attribute, or a transient property.
    init(
        _ path: Names, from start: Start, in model: ManagedObjectModel, nextVariable: inout Int, takesComposite: Bool = false
    ) throws(QueryError) {
        let first: (variable: Int, entity: EntityDescription) =
            switch start {
            case .object(let variable, let entity): (variable, entity)
            case .collection(let collection): (collection.variable, collection.entity)
            }
        var route = KeyPathRoute(path, from: first, newVariable: nextVariable)
        try route.follow(in: model)
        if let composite = route.composite { try route.end(at: composite, isTaken: takesComposite) }
        isEntityName = route.isEntityName
        let path = route.propertyPath
        if !route.collectionSteps.isEmpty {
            let origin: ResolvedCollection.Origin =
                switch start {
                case .object(let variable, _): .variable(variable)
                case .collection(let collection): .collection(collection)
                }
            nextVariable += 1
            let collection = ResolvedCollection(
                origin: origin, steps: route.collectionSteps, variable: path.variable, entity: path.entity)
            end = .several(collection, route.endsAtElements ? nil : path)
        } else if case .collection(let collection) = start {
            end = .several(collection, route.endsAtElements && path.steps.isEmpty ? nil : path)
        } else {
            end = .single(path)
        }
    }
}

extension ResolvedCollection.Step {
    init(_ step: PropertyPath.Step) {
        self.init(relationship: step.relationship, slot: step.slot, destination: step.destination)
    }
}
