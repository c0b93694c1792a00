/// The steps of a key path as far as its names are resolved.
struct KeyPathRoute {
    private let path: KeyPathTraversal.Names
    private let start: EntityDescription
    /// The number for the elements of a new collection.
    private let newVariable: Int
    /// The object from which the ``steps`` start.
    private var base: (variable: Int, entity: EntityDescription)
    private var current: EntityDescription
    private var steps: [PropertyPath.Step] = []
    private(set) var collectionSteps: [ResolvedCollection.Step] = []
    private var leaf = PropertyPath.Leaf.object
    private(set) var endsAtElements = true
    /// Whether the value is the name of the object's entity.
    private(set) var isEntityName = false
    /// The composite attribute whose element the next name is.
    private(set) var composite: CompositeAttributeDescription?
    /// The index of the first name behind the last to-many relationship.
    private var elementStart: Int

    /// The greatest number of names in a path, against hostile ones.
    private static let greatestLength = 100

    init(_ path: KeyPathTraversal.Names, from start: (variable: Int, entity: EntityDescription), newVariable: Int) {
        self.path = path
        self.start = start.entity
        self.newVariable = newVariable
        base = start
        current = start.entity
        elementStart = path.names.startIndex
    }

    /// Resolves all names.
    ///
    /// - Throws: `QueryError` for an unknown key, a step from an attribute, or a transient property.
    mutating func follow(in model: ManagedObjectModel) throws(QueryError) {
        let names = path.names
        guard names.count <= KeyPathRoute.greatestLength else {
            throw fail(.tooDeep, "a path has at most \(KeyPathRoute.greatestLength) names")
        }
        for (index, name) in zip(names.indices, names) {
            let key = composite.map { $0.name + "." + name } ?? name
            if let property = current.property(named: key) {
                endsAtElements = false
                switch property {
                case .attribute(let attribute): try end(at: attribute, name, isLast: isLast(index))
                case .relationship(let relationship): try follow(relationship, name, at: index, in: model)
                }
            } else if let found = current.compositeAttribute(named: key) {
                composite = found
                endsAtElements = false
            } else if try !followKeyword(name, at: index) {
                return
            }
        }
    }

    private func isLast(_ index: Int) -> Bool { index == path.names.endIndex - 1 }

    private mutating func end(at attribute: AttributeDescription, _ name: String, isLast: Bool) throws(QueryError) {
        guard isLast else { throw fail(.illegalKeyPath, "\(name) is an attribute and cannot be followed") }
        guard let slot = attribute.slot else { throw fail(.transient, "\(name) is transient: no store holds it") }
        leaf = .attribute(attribute, slot: slot)
        composite = nil
    }

    private mutating func follow(
        _ relationship: RelationshipDescription, _ name: String, at index: Int, in model: ManagedObjectModel
    ) throws(QueryError) {
        if relationship.isTransient { throw fail(.transient, "\(name) is transient: no store holds it") }
        current = model.destination(of: relationship)
        guard case .toOne(let slot, _, _) = relationship.storage else {
            collectionSteps += steps.map { ResolvedCollection.Step($0) }
            collectionSteps.append(ResolvedCollection.Step(relationship: relationship, slot: nil, destination: current))
            steps = []
            base = (newVariable, current)
            elementStart = index + 1
            endsAtElements = true
            return
        }
        if isLast(index) {
            leaf = .toOne(relationship, slot: slot)
        } else {
            steps.append(PropertyPath.Step(relationship: relationship, slot: slot, destination: current))
        }
    }

    /// Follows a name that no property has.
    ///
    /// - Returns: False where the path ends there.
    private mutating func followKeyword(_ name: String, at index: Int) throws(QueryError) -> Bool {
        if let composite { throw fail(.unknownKey, "\(composite.name) of \(current.name) has no element \(name)") }
        let names = path.names
        switch name {
        case "": throw fail(.illegalKeyPath, "a name of the key path is empty")
        case "SELF", "self": return true
        case "objectID" where isLast(index): break
        case "entity" where isLast(index) || (index == names.endIndex - 2 && names[index + 1] == "name"): isEntityName = true
        default:
            if let reason = QueryError.reason(ofPlaceholder: name) {
                throw QueryError(.unknownKey, entity: start.name, subject: "a key path", reason)
            }
            throw fail(.unknownKey, "\(current.name) has no property \(name)")
        }
        endsAtElements = false
        return false
    }

    /// Ends the path at a composite attribute as a whole.
    mutating func end(at composite: CompositeAttributeDescription, isTaken: Bool) throws(QueryError) {
        guard isTaken else {
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

    /// The part of the path behind the last to-many relationship.
    var propertyPath: PropertyPath {
        let objectEntity: EntityDescription? = if case .attribute = leaf { nil } else { current }
        return PropertyPath(
            variable: base.variable, entity: base.entity, steps: steps, leaf: leaf, objectEntity: objectEntity,
            text: path.names[elementStart...].joined(separator: "."), composite: composite)
    }

    private func fail(_ reason: QueryError.Reason, _ message: String) -> QueryError {
        QueryError(reason, entity: start.name, subject: path.text, message)
    }
}
