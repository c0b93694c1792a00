import StrataModel

/// The entities of a model, from the declarations of single classes.
struct ModelAssembly {
    /// The declarations in the order of discovery.
    private var declarations: [EntityDeclaration] = []
    private var indexByClass: [ObjectIdentifier: Int] = [:]
    var configurations: [EntityConfiguration] = []

    /// Finds the classes that some reference, directly or indirectly.
    init(_ classes: [ManagedObject.Type]) throws(ModelError) {
        var waiting = Array(classes.reversed())
        while let next = waiting.popLast() {
            guard indexByClass[ObjectIdentifier(next)] == nil else { continue }
            guard let declaration = next.entityDeclaration, declaration.entity.objectClass == next else {
                throw ModelError(.unknownDestination, entity: "\(next)", "the class \(next) does not say its entity, as one of @Model does")
            }
            indexByClass[ObjectIdentifier(next)] = declarations.count
            declarations.append(declaration)
            waiting += declaration.destinations.reversed()
            if let parent = declaration.parent, parent.entityDeclaration != nil { waiting.append(parent) }
        }
        var members: [(name: String, entities: [String])] = []
        for declaration in declarations {
            for name in declaration.configurations {
                if let index = members.firstIndex(where: { $0.name == name }) {
                    members[index].entities.append(declaration.entity.name)
                } else {
                    members.append((name, [declaration.entity.name]))
                }
            }
        }
        configurations = members.map { EntityConfiguration($0.name, entities: $0.entities) }
    }

    private func declaration(of type: ManagedObject.Type) -> EntityDeclaration? {
        indexByClass[ObjectIdentifier(type)].map { declarations[$0] }
    }

    /// Returns the entities, with parents, destinations and inverses; throws `ModelError` where an inverse is declared
    /// for another class than the destination.
    func entities() throws(ModelError) -> [Entity] {
        for declaration in declarations { try checkInverses(of: declaration) }
        return declarations.map { declaration in
            var entity = declaration.entity
            entity.parent = declaration.parent.flatMap { self.declaration(of: $0)?.entity.name }
            entity.relationships = declaration.properties.compactMap { property in
                guard let relationship = property.relationship else { return nil }
                let destination = self.declaration(of: relationship.destination)?.entity.name ?? "\(relationship.destination)"
                return relationship.relationship(to: destination, inverse: inverse(of: relationship, in: declaration))
            }
            return entity
        }
    }

    private func checkInverses(of declaration: EntityDeclaration) throws(ModelError) {
        for relationship in declaration.properties.compactMap(\.relationship) {
            guard let inverse = relationship.inverse, let owner = relationship.inverseOwner,
                !lineage(of: relationship.destination).contains(where: { $0.entity.objectClass == owner })
            else { continue }
            throw ModelError(
                .unknownInverse, entity: declaration.entity.name, property: relationship.name,
                "the inverse \\\(owner).\(inverse) is no property of \(relationship.destination), the relationship's destination")
        }
    }

    /// Returns the name of the inverse: the declared one, the one that declares this as its inverse, or the only
    /// possible one.
    private func inverse(of relationship: DeclaredRelationship, in declaration: EntityDeclaration) -> String? {
        if let inverse = relationship.inverse { return inverse }
        let back = relationshipsBack(from: relationship, in: declaration)
        if let naming = back.first(where: { $0.inverse == relationship.name }) { return naming.name }
        let free = back.filter { $0.inverse == nil }
        guard free.count == 1, let only = free.first, let owner = owner(of: only, from: relationship.destination) else { return nil }
        // It has to be the only one from the other side, too.
        let rivals = relationshipsBack(from: only, in: owner).filter { $0.inverse == nil || $0.inverse == only.name }
        return rivals.map(\.name) == [relationship.name] ? only.name : nil
    }

    /// Returns the relationships of a destination, inherited ones included, that reference the relationship's owner.
    private func relationshipsBack(from relationship: DeclaredRelationship, in declaration: EntityDeclaration) -> [DeclaredRelationship] {
        guard let type = declaration.entity.objectClass as? ManagedObject.Type else { return [] }
        return lineage(of: relationship.destination).flatMap { owner in
            owner.properties.compactMap(\.relationship).filter { back in
                back.destination == type && !(owner.entity.name == declaration.entity.name && back.name == relationship.name)
            }
        }
    }

    private func owner(of relationship: DeclaredRelationship, from type: ManagedObject.Type) -> EntityDeclaration? {
        lineage(of: type).first { $0.properties.contains { $0.relationship != nil && $0.name == relationship.name } }
    }

    private func lineage(of type: ManagedObject.Type) -> [EntityDeclaration] {
        var lineage: [EntityDeclaration] = []
        var next: ManagedObject.Type? = type
        while let current = next, let declaration = declaration(of: current) {
            lineage.append(declaration)
            next = declaration.parent
        }
        return lineage
    }
}
