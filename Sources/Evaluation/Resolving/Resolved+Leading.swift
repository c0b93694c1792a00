extension ResolvedPredicate {
    /// Returns the predicate, or a condition that paths pass objects that may have changed: a row of `rows` for the
    /// root of a hierarchy, or a to-many relationship of an object of `owners`.
    ///
    /// - Parameter entity: The entity of the objects of variable 0.
    /// - Returns: `nil` where paths start elsewhere than at variable 0, which the result does not cover.
    package func orReferences(
        from entity: EntityDescription, overRows rows: (_ root: EntityIndex) -> [Value],
        overCollectionsOf owners: (_ root: EntityIndex) -> [Value], in model: ManagedObjectModel
    ) -> ResolvedPredicate? {
        var ways = Ways(entity: entity)
        forEachCollection { ways.variable = max(ways.variable, $0.variable + 1) }
        forEachPath { path in
            if path.variable != 0 && !path.steps.isEmpty { ways.areKnown = false }
            let steps = path.steps.map { ResolvedCollection.Step($0) }
            for index in steps.indices { ways.add(steps[...index], to: rows(steps[index].destination.root)) }
        }
        forEachCollection { collection in
            guard case .variable(0) = collection.origin else {
                ways.areKnown = false
                return
            }
            let steps = collection.steps
            for (index, step) in steps.enumerated() {
                ways.add(steps[...index], to: rows(step.destination.root))
                if step.relationship.isToMany {
                    ways.add(steps[..<index], to: owners(model.entities[step.relationship.declaringEntity].root))
                }
            }
        }
        if !ways.areKnown { return nil }
        return ways.found.isEmpty ? self : .or([self] + ways.found)
    }

    /// Conditions that some steps reference certain objects.
    private struct Ways {
        let entity: EntityDescription
        /// A variable that is not in use.
        var variable = 1
        var found: [ResolvedPredicate] = []
        var areKnown = true

        /// Adds the condition that some steps from variable 0 reference one of some objects.
        mutating func add(_ steps: ArraySlice<ResolvedCollection.Step>, to objects: [Value]) {
            if objects.isEmpty { return }
            let end = steps.last?.destination ?? entity
            func isOne(_ path: PropertyPath) -> ResolvedPredicate {
                .comparison(ResolvedComparison(left: path, operator: .isIn, right: .constant(.list(objects)), options: []))
            }
            guard steps.contains(where: { $0.slot == nil }) else { return found.append(isOne(toOnePath(steps, end))) }
            let element = PropertyPath(variable: variable, entity: end, steps: [], leaf: .object, objectEntity: end, text: "")
            let collection = ResolvedCollection(origin: .variable(0), steps: Array(steps), variable: variable, entity: end)
            found.append(.exists(collection.filtered(by: isOne(element))))
            variable += 1
        }

        private func toOnePath(_ steps: ArraySlice<ResolvedCollection.Step>, _ end: EntityDescription) -> PropertyPath {
            var before: [PropertyPath.Step] = []
            for step in steps.dropLast() {
                guard let slot = step.slot else { continue }
                before.append(PropertyPath.Step(relationship: step.relationship, slot: slot, destination: step.destination))
            }
            let last = steps.last.flatMap { step in step.slot.map { PropertyPath.Leaf.toOne(step.relationship, slot: $0) } }
            return PropertyPath(
                variable: 0, entity: entity, steps: before, leaf: last ?? .object, objectEntity: end,
                text: steps.map(\.relationship.name).joined(separator: "."))
        }
    }
}
