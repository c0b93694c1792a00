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

extension ManagedObjectContext {
    /// Adds, relates, renames and deletes up to four nodes and leaves each.
    fileprivate func changeAny(_ round: Int, _ generator: inout SeededGenerator) throws {
        for step in 0..<(1 + generator.below(4)) {
            if generator.chance(40) { _ = try add(generator.chance(60) ? "Node" : "Leaf", "n\(round).\(step)") }
            if generator.chance(70) { _ = try relateAny(&generator) }
            if generator.chance(30), let object = try any("Leaf", &generator) { try object.setValue("m\(round).\(step)", forKey: "name") }
            if generator.chance(20), let object = try any(generator.chance(50) ? "Node" : "Leaf", &generator) {
                try clearReferencesWithoutInverse(to: object)
                delete(object)
            }
        }
    }
}

extension ConformanceStack {
    /// Saves random changes of two contexts, which overwrite each other's; some saves fail.
    ///
    /// - Parameter body: Called after each save.
    func saveAtRandom(
        rounds: Int, _ generator: inout SeededGenerator, _ body: (inout SeededGenerator) throws -> Void = { _ in }
    ) throws {
        let contexts = [context(), context()]
        for context in contexts { context.mergePolicy = .overwrite }
        for round in 0..<rounds {
            let context = contexts[generator.below(2)]
            try context.changeAny(round, &generator)
            // A required relationship, or a deleted object: then nothing is saved.
            if (try? context.save()) == nil { context.rollback() }
            for other in contexts where other !== context { other.refreshAllObjects() }
            try body(&generator)
        }
    }
}
