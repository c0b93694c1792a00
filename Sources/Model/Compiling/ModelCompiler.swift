/// Checks the declarations of a model and compiles them to descriptions.
struct ModelCompiler {
    /// A declared entity with its position in the hierarchy.
    struct Node {
        var declaration: Entity
        var parent: EntityIndex?
        var children: [EntityIndex] = []
        /// Inverses made for to-many relationships without inverse.
        var hidden: [Relationship] = []
        /// The entity's own attributes; of composite ones the elements.
        var attributes: [Attribute] = []
        /// The names of the composite attributes of the entity and its ancestors.
        var composites: Set<String> = []
        /// The entity's own relationships, hidden ones included, by name.
        var relationships: [String: Relationship] = [:]
        /// The index of each property, inherited ones included.
        var propertyIndex: [String: Int] = [:]
        /// The names of the entity's own properties, in the order of their indexes.
        var ownNames: [String] = []
        /// The version hashes of the persistent properties, inherited ones included.
        var propertyHashes: [String: [UInt8]] = [:]
    }

    private(set) var nodes: [Node] = []
    private(set) var indexByName: [String: EntityIndex] = [:]
    private(set) var linkTables: [LinkTable] = []

    init(_ declarations: [Entity]) throws(ModelError) {
        try arrange(declarations)
        for index in nodes.typedIndices(EntityIndex.self) {
            for relationship in nodes[index].declaration.relationships { try check(relationship, of: index) }
        }
        addHiddenInverses()
        for index in nodes.typedIndices(EntityIndex.self) {
            let node = nodes[index]
            nodes[index].attributes = try ModelCompiler.flattened(node.declaration)
            nodes[index].relationships = Dictionary((node.declaration.relationships + node.hidden).map { ($0.name, $0) }) { first, _ in
                first
            }
        }
        for index in nodes.typedIndices(EntityIndex.self) { try numberProperties(of: index) }
        for index in nodes.typedIndices(EntityIndex.self) {
            for relationship in nodes[index].declaration.relationships { try checkInverse(of: relationship, declaredBy: index) }
        }
        findLinkTables()
    }

    // MARK: - Inheritance

    private mutating func arrange(_ declarations: [Entity]) throws(ModelError) {
        var names: Set<String> = []
        for entity in declarations {
            try ModelCompiler.checkNames(of: entity)
            guard names.insert(entity.name).inserted else {
                throw ModelError(.duplicateName, entity: entity.name, "two entities have this name")
            }
        }
        for entity in declarations {
            guard let parent = entity.parent, !names.contains(parent) else { continue }
            throw ModelError(.unknownParent, entity: entity.name, "the parent \(parent) is not in the model")
        }
        addChildren(of: nil, at: nil, Dictionary(grouping: declarations, by: \.parent))
        guard nodes.count == declarations.count else {
            let lost = declarations.first { indexByName[$0.name] == nil }?.name ?? ""
            throw ModelError(.inheritanceCycle, entity: lost, "the entity is its own ancestor")
        }
    }

    private mutating func addChildren(of name: String?, at parent: EntityIndex?, _ children: [String?: [Entity]]) {
        for entity in (children[name] ?? []).sorted(by: ModelCompiler.precedes) {
            let index = EntityIndex(nodes.count)
            indexByName[entity.name] = index
            nodes.append(Node(declaration: entity, parent: parent))
            if let parent { nodes[parent].children.append(index) }
            addChildren(of: entity.name, at: index, children)
        }
    }

    private static func precedes(_ a: Entity, _ b: Entity) -> Bool {
        let (lowerA, lowerB) = (a.name.lowercased(), b.name.lowercased())
        return lowerA.utf8.elementsEqual(lowerB.utf8)
            ? a.name.utf8.lexicographicallyPrecedes(b.name.utf8) : lowerA.utf8.lexicographicallyPrecedes(lowerB.utf8)
    }

    func failure(_ reason: ModelError.Reason, _ index: EntityIndex, _ property: String?, _ message: String) -> ModelError {
        ModelError(reason, entity: nodes[index].declaration.name, property: property, message)
    }

    // MARK: - Relationships

    private func check(_ relationship: Relationship, of index: EntityIndex) throws(ModelError) {
        guard indexByName[relationship.destination] != nil else {
            throw failure(.unknownDestination, index, relationship.name, "the destination \(relationship.destination) is not in the model")
        }
        let (least, most) = (relationship.minCount, relationship.maxCount)
        let isToOne = relationship.cardinality == .toOne
        // Models of Core Data's may have a maximum of -1 for no limit, which is part of the version hash.
        guard least >= 0, most >= -1, most <= 0 || least <= most, isToOne == (most == 1) else {
            throw failure(
                .illegalCount, index, relationship.name,
                "\(least) to \(most) destinations are no counts of a \(isToOne ? "to-one" : "to-many") relationship")
        }
    }

    private mutating func addHiddenInverses() {
        for node in nodes {
            let entity = node.declaration
            for relationship in entity.relationships
            where relationship.inverse == nil && relationship.cardinality != .toOne && !relationship.isTransient {
                guard let destination = indexByName[relationship.destination] else { continue }
                nodes[destination].hidden.append(
                    Relationship("\(entity.name).\(relationship.name)", to: entity.name, inverse: relationship.name))
            }
        }
    }

    private mutating func numberProperties(of index: EntityIndex) throws(ModelError) {
        let entity = nodes[index].declaration
        var numbered = nodes[index].parent.map { nodes[$0].propertyIndex } ?? [:]
        func duplicate(_ name: String) -> ModelError {
            failure(.duplicateName, index, name, "the entity or an ancestor has another property of this name")
        }
        let names = (nodes[index].attributes.map(\.name) + entity.relationships.map(\.name) + nodes[index].hidden.map(\.name))
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        var composites = nodes[index].parent.map { nodes[$0].composites } ?? []
        for attribute in entity.attributes where attribute.type == .composite {
            guard composites.insert(attribute.name).inserted else { throw duplicate(attribute.name) }
        }
        for name in names {
            if composites.contains(name) { throw duplicate(name) }
            guard numbered.updateValue(numbered.count, forKey: name) == nil else { throw duplicate(name) }
        }
        for name in composites where numbered[name] != nil { throw duplicate(name) }
        nodes[index].propertyHashes = nodes[index].parent.map { nodes[$0].propertyHashes } ?? [:]
        nodes[index].propertyHashes.merge(VersionHash.properties(of: entity)) { $1 }
        nodes[index].composites = composites
        nodes[index].propertyIndex = numbered
        nodes[index].ownNames = names
    }

    /// Returns the relationship of an entity or an ancestor, with the index of that.
    func relationship(_ name: String, of index: EntityIndex) -> (Relationship, declaredBy: EntityIndex)? {
        var current: EntityIndex? = index
        while let index = current {
            let node = nodes[index]
            if let found = node.relationships[name] { return (found, index) }
            current = node.parent
        }
        return nil
    }

    private func checkInverse(of relationship: Relationship, declaredBy index: EntityIndex) throws(ModelError) {
        guard let inverseName = relationship.inverse, let destination = indexByName[relationship.destination] else { return }
        guard let (inverse, owner) = self.relationship(inverseName, of: destination) else {
            throw failure(
                .unknownInverse, index, relationship.name, "\(relationship.destination) has no relationship \(inverseName)")
        }
        guard inverse.inverse == relationship.name, let back = indexByName[inverse.destination], areRelated(back, index),
            areRelated(destination, owner), inverse.isTransient == relationship.isTransient
        else {
            throw failure(
                .inverseMismatch, index, relationship.name,
                "its inverse \(relationship.destination).\(inverseName) does not lead back to it")
        }
    }

    private func areRelated(_ a: EntityIndex, _ b: EntityIndex) -> Bool { isAncestor(a, of: b) || isAncestor(b, of: a) }

    func isAncestor(_ ancestor: EntityIndex, of index: EntityIndex) -> Bool {
        var current: EntityIndex? = index
        while let index = current {
            if index == ancestor { return true }
            current = nodes[index].parent
        }
        return false
    }

    private mutating func findLinkTables() {
        for (index, node) in zip(nodes.typedIndices(EntityIndex.self), nodes) {
            for relationship in node.declaration.relationships.sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) })
            where relationship.cardinality != .toOne && !relationship.isTransient {
                guard let destination = indexByName[relationship.destination], let inverseName = relationship.inverse,
                    let (inverse, owner) = self.relationship(inverseName, of: destination), inverse.cardinality != .toOne,
                    let property = node.propertyIndex[relationship.name], let inverseProperty = nodes[owner].propertyIndex[inverseName]
                else { continue }
                let first = LinkTable.End(entity: index, property: property, isOrdered: relationship.cardinality == .ordered)
                let second = LinkTable.End(entity: owner, property: inverseProperty, isOrdered: inverse.cardinality == .ordered)
                guard !linkTables.contains(where: { $0.first == second && $0.second == first }) else { continue }
                linkTables.append(LinkTable(index: linkTables.count, first: first, second: second))
            }
        }
    }

    static func resolve(_ templates: [FetchTemplate], _ indexByName: [String: EntityIndex]) throws(ModelError) -> [String: FetchTemplate] {
        var resolved: [String: FetchTemplate] = [:]
        for template in templates {
            guard indexByName[template.entity] != nil else {
                throw ModelError(.unknownProperty, entity: template.entity, "the fetch template \(template.name) names an unknown entity")
            }
            try checkText(template.name, entity: template.entity, property: template.name)
            guard !template.name.isEmpty, resolved.updateValue(template, forKey: template.name) == nil else {
                throw ModelError(.duplicateName, entity: template.entity, property: template.name, "two fetch templates have this name")
            }
        }
        return resolved
    }

    static func resolve(_ configurations: [EntityConfiguration], _ indexByName: [String: EntityIndex]) throws(ModelError) -> [String:
        [EntityIndex]]
    {
        var resolved: [String: [EntityIndex]] = [:]
        for configuration in configurations {
            try checkText(configuration.name, entity: configuration.name, property: nil)
            guard resolved[configuration.name] == nil, !configuration.name.isEmpty else {
                throw ModelError(.duplicateName, entity: configuration.name, "two configurations have this name")
            }
            var indexes: Set<EntityIndex> = []
            for name in configuration.entities {
                guard let index = indexByName[name] else {
                    throw ModelError(.unknownProperty, entity: name, "the configuration \(configuration.name) names an unknown entity")
                }
                indexes.insert(index)
            }
            resolved[configuration.name] = indexes.sorted()
        }
        return resolved
    }
}
