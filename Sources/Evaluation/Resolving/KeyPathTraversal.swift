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

    /// The greatest number of names in a path, against hostile ones.
    static let greatestLength = 100

    /// - Parameters:
    ///   - nextVariable: The number for the elements of a new collection, which increments it.
    ///   - takesComposite: Whether the path may end at a composite attribute as a whole.
    /// - Throws: `QueryError` for an unknown key, a step from an attribute, or a transient property.
    init(
        _ path: Names, from start: Start, in model: ManagedObjectModel, nextVariable: inout Int, takesComposite: Bool = false
    ) throws(QueryError) {
        let names = path.names
        let first: (variable: Int, entity: EntityDescription) =
            switch start {
            case .object(let variable, let entity): (variable, entity)
            case .collection(let collection): (collection.variable, collection.entity)
            }
        var base = first
        var current = first.entity
        var steps: [PropertyPath.Step] = []
        var collectionSteps: [ResolvedCollection.Step] = []
        var leaf = PropertyPath.Leaf.object
        var endsAtElements = true
        var isEntityName = false
        /// The composite attribute whose element the next name is.
        var composite: CompositeAttributeDescription?
        /// The index of the first name behind the last to-many relationship.
        var elementStart = names.startIndex

        func fail(_ reason: QueryError.Reason, _ message: String) -> QueryError {
            QueryError(reason, entity: first.entity.name, subject: path.text, message)
        }

        guard names.count <= KeyPathTraversal.greatestLength else {
            throw fail(.tooDeep, "a path has at most \(KeyPathTraversal.greatestLength) names")
        }
        names: for (index, name) in zip(names.indices, names) {
            let isLast = index == names.endIndex - 1
            guard let property = current.property(named: composite.map { $0.name + "." + name } ?? name) else {
                if let found = current.compositeAttribute(named: composite.map { $0.name + "." + name } ?? name) {
                    composite = found
                    endsAtElements = false
                    continue
                }
                if let composite { throw fail(.unknownKey, "\(composite.name) of \(current.name) has no element \(name)") }
                switch name {
                case "": throw fail(.illegalKeyPath, "a name of the key path is empty")
                case "SELF", "self": continue
                case "objectID" where isLast:
                    endsAtElements = false
                    break names
                case "entity" where isLast || (index == names.endIndex - 2 && names[index + 1] == "name"):
                    isEntityName = true
                    endsAtElements = false
                    break names
                default:
                    if let reason = QueryError.reason(ofPlaceholder: name) {
                        throw QueryError(.unknownKey, entity: first.entity.name, subject: "a key path", reason)
                    }
                    throw fail(.unknownKey, "\(current.name) has no property \(name)")
                }
            }
            endsAtElements = false
            switch property {
            case .attribute(let attribute):
                guard isLast else { throw fail(.illegalKeyPath, "\(name) is an attribute and cannot be followed") }
                guard let slot = attribute.slot else { throw fail(.transient, "\(name) is transient: no store holds it") }
                leaf = .attribute(attribute, slot: slot)
                composite = nil
            case .relationship(let relationship):
                if relationship.isTransient { throw fail(.transient, "\(name) is transient: no store holds it") }
                let destination = model.destination(of: relationship)
                if case .toOne(let slot, _, _) = relationship.storage {
                    if isLast {
                        leaf = .toOne(relationship, slot: slot)
                    } else {
                        steps.append(PropertyPath.Step(relationship: relationship, slot: slot, destination: destination))
                    }
                } else {
                    collectionSteps += steps.map { ResolvedCollection.Step($0) }
                    collectionSteps.append(ResolvedCollection.Step(relationship: relationship, slot: nil, destination: destination))
                    steps = []
                    base = (nextVariable, destination)
                    elementStart = index + 1
                    endsAtElements = true
                }
                current = destination
            }
        }
        if let composite {
            guard takesComposite else {
                throw fail(
                    .illegalKeyPath,
                    "\(composite.name) is a composite attribute: name one of its elements, "
                        + composite.elements.map(\.path).joined(separator: ", "))
            }
            // Only the resolver sees such a path, and replaces the first element by each.
            guard let first = composite.attributes.first, let slot = first.slot else {
                throw fail(.transient, "\(composite.name) is transient: no store holds it")
            }
            leaf = .attribute(first, slot: slot)
        }
        self.isEntityName = isEntityName
        let objectEntity: EntityDescription? = if case .attribute = leaf { nil } else { current }
        let path = PropertyPath(
            variable: base.variable, entity: base.entity, steps: steps, leaf: leaf, objectEntity: objectEntity,
            text: names[elementStart...].joined(separator: "."), composite: composite)
        if !collectionSteps.isEmpty {
            let origin: ResolvedCollection.Origin =
                switch start {
                case .object(let variable, _): .variable(variable)
                case .collection(let collection): .collection(collection)
                }
            nextVariable += 1
            let collection = ResolvedCollection(origin: origin, steps: collectionSteps, variable: base.variable, entity: base.entity)
            end = .several(collection, endsAtElements ? nil : path)
        } else if case .collection(let collection) = start {
            end = .several(collection, endsAtElements && steps.isEmpty ? nil : path)
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
