import Strata

// What walks do to the nodes and leaves of a context, see `Models.shapes`.

extension ManagedObjectContext {
    /// Returns any object of an entity; `nil` where the entity has no objects.
    func any(_ entity: String, _ generator: inout SeededGenerator) throws -> ManagedObject? {
        let all = try all(entity, sort: [QuerySort("name")])
        return all.isEmpty ? nil : all[generator.below(all.count)]
    }

    /// Sets any relationship of any node or leaf to any others.
    ///
    /// - Returns: What was done.
    func relateAny(_ generator: inout SeededGenerator) throws -> String {
        guard let object = try any(generator.chance(70) ? "Node" : "Leaf", &generator) else { return "nothing" }
        let relationships = object.entity.relationships
        let relationship = relationships[generator.below(relationships.count)]
        let destination = model.destination(of: relationship).name
        var others: [ManagedObject] = []
        for _ in 0..<generator.below(relationship.isToMany ? 4 : 2) {
            if let other = try any(destination, &generator), !others.contains(other) { others.append(other) }
        }
        try object.relate(relationship, to: others)
        return "\(try object.text("name") ?? "").\(relationship.name) = \(try inOrder(others))"
    }

    /// Removes an object from relationships without inverse: they would go on to reference it after its deletion.
    func clearReferencesWithoutInverse(to object: ManagedObject) throws {
        for node in try all("Node") {
            for relationship in node.entity.relationships where relationship.inverse == nil {
                let members = try node.members(relationship)
                if members.contains(object) { try node.relate(relationship, to: members.filter { $0 !== object }) }
            }
        }
    }
}
