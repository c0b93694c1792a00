extension ModelCompiler {
    /// Returns the attributes in rows: of a composite one its elements, by path; throws for an invalid element.
    static func flattened(_ entity: Entity) throws(ModelError) -> [Attribute] {
        guard entity.attributes.contains(where: { $0.type == .composite || !$0.elements.isEmpty }) else { return entity.attributes }
        var flattened: [Attribute] = []
        for attribute in entity.attributes {
            var flattener = CompositeFlattener(entity: entity.name)
            try flattener.add(attribute, path: attribute.name)
            flattened += flattener.attributes
        }
        return flattened
    }

    /// Returns the composite attributes of an entity, nested ones included.
    func composites(of index: EntityIndex, _ properties: [PropertyDescription]) -> [CompositeAttributeDescription] {
        let node = nodes[index]
        func description(_ attribute: Attribute, path: String) -> CompositeAttributeDescription {
            let elements: [CompositeElementDescription] = attribute.elements.compactMap { element in
                let elementPath = path + "." + element.name
                if element.type == .composite { return .composite(description(element, path: elementPath)) }
                return node.propertyIndex[elementPath].flatMap { properties[$0].attribute }.map {
                    .attribute($0, isRequired: !element.isOptional)
                }
            }
            return CompositeAttributeDescription(name: path, declaration: attribute, declaringEntity: index, elements: elements)
        }
        return node.declaration.attributes.filter { $0.type == .composite }
            .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
            .map { description($0, path: $0.name) }
    }
}

/// Flattens the elements of one attribute, at any depth, to ordinary attributes.
private struct CompositeFlattener {
    let entity: String
    private(set) var attributes: [Attribute] = []

    /// The maximum nesting of composite attributes, which bounds the cost of a malicious model.
    private static let greatestDepth = 16

    /// The inherited properties of an element of composites.
    struct Outer {
        var isTransient = false
        var isPreserved = false
        /// Whether all enclosing composites are required.
        var isRequired = true
        /// The path by an earlier version's names; `nil` if nothing on it was renamed.
        var formerPath: String?
        var depth = 0
    }

    mutating func add(_ attribute: Attribute, path: String, _ outer: Outer = Outer(), isElement: Bool = false) throws(ModelError) {
        if isElement { try checkElement(attribute, path) }
        guard attribute.type == .composite else {
            guard attribute.elements.isEmpty else {
                throw refuse(path, "only a composite attribute has elements, and this one is \(attribute.type)")
            }
            return attributes.append(isElement ? flat(attribute, path: path, outer) : attribute)
        }
        try checkComposite(attribute, path, outer)
        var inner = outer
        inner.depth += 1
        inner.isTransient = outer.isTransient || attribute.isTransient
        inner.isPreserved = outer.isPreserved || attribute.preservesValueInHistoryOnDeletion
        inner.isRequired = outer.isRequired && !attribute.isOptional
        inner.formerPath = formerPath(of: attribute, path: path, outer)
        var names: Set<String> = []
        for element in attribute.elements {
            guard names.insert(element.name).inserted else {
                throw ModelError(
                    .duplicateName, entity: entity, property: path + "." + element.name, "two elements of the attribute have this name")
            }
            try add(element, path: path + "." + element.name, inner, isElement: true)
        }
    }

    private func flat(_ element: Attribute, path: String, _ outer: Outer) -> Attribute {
        element.with {
            $0.name = path
            $0.isTransient = element.isTransient || outer.isTransient
            $0.preservesValueInHistoryOnDeletion = element.preservesValueInHistoryOnDeletion || outer.isPreserved
            $0.isOptional = element.isOptional || !outer.isRequired
            $0.ownRenamingIdentifier = element.renamingIdentifier
            $0.renamingIdentifier = formerPath(of: element, path: path, outer)
        }
    }

    /// Returns the path of an attribute by the names of an earlier version; `nil` if nothing on it was renamed.
    private func formerPath(of attribute: Attribute, path: String, _ outer: Outer) -> String? {
        guard outer.formerPath != nil || attribute.renamingIdentifier != nil else { return nil }
        let name = attribute.renamingIdentifier ?? attribute.name
        let owner = outer.formerPath ?? String(path.dropLast(attribute.name.count + (outer.depth > 0 ? 1 : 0)))
        return owner.isEmpty ? name : owner + "." + name
    }

    // MARK: - Checks

    private func checkElement(_ element: Attribute, _ path: String) throws(ModelError) {
        try ModelCompiler.checkName(element.name, entity: entity, property: path)
        try ModelCompiler.checkText(element.renamingIdentifier, entity: entity, property: path)
        if element.type == .undefined { throw refuse(path, "an element of a composite attribute has a type") }
        if element.allowsExternalStorage { throw refuse(path, "an element of a composite attribute has no file beside the store") }
        if element.derivationExpression != nil { throw refuse(path, "an element of a composite attribute is not derived") }
    }

    private func checkComposite(_ attribute: Attribute, _ path: String, _ outer: Outer) throws(ModelError) {
        if attribute.elements.isEmpty { throw refuse(path, "a composite attribute has at least one element") }
        if outer.depth >= CompositeFlattener.greatestDepth {
            throw refuse(path, "composite attributes are nested \(CompositeFlattener.greatestDepth) levels deep at most")
        }
        if attribute.defaultValue != nil { throw refuse(path, "the elements of a composite attribute have defaults, and it has none") }
        if !attribute.validation.isEmpty { throw refuse(path, "rules are for the elements of a composite attribute") }
        if attribute.transformer != nil { throw refuse(path, "a composite attribute is kept by its elements, and not transformed") }
        if attribute.allowsExternalStorage { throw refuse(path, "a composite attribute is kept by its elements, and not in a file") }
        if attribute.derivationExpression != nil { throw refuse(path, "a composite attribute is not derived") }
    }

    private func refuse(_ path: String, _ message: String) -> ModelError {
        ModelError(.illegalElement, entity: entity, property: path, message)
    }
}
