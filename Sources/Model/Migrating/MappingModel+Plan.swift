extension MappingModel {
    /// The steps of a migration by this mapping: a dry run, without a store.
    public var plan: MigrationPlan {
        var steps: [MigrationPlan.Step] = []
        var used: Set<String> = []
        for mapping in entityMappings {
            let old = mapping.source.flatMap { source.entity(named: $0) }
            let new = mapping.destination.flatMap { destination.entity(named: $0) }
            switch (old, new) {
            case (nil, let new?): steps.append(.init(.add, new.name, nil, "add entity \(new.name)"))
            case (let old?, nil):
                steps.append(.init(.drop, old.name, nil, "drop entity \(old.name) with its objects", losesData: !old.isAbstract))
            case (let old?, let new?): steps += self.steps(mapping, old, new, isFirst: used.insert(old.name).inserted)
            case (nil, nil): break
            }
        }
        return MigrationPlan(steps: steps)
    }

    /// - Parameter isFirst: Whether no earlier mapping maps the same objects.
    private func steps(
        _ mapping: EntityMapping, _ old: EntityDescription, _ new: EntityDescription, isFirst: Bool
    ) -> [MigrationPlan.Step] {
        var steps: [MigrationPlan.Step] = []
        func add(_ action: MigrationPlan.Step.Action, _ property: String?, _ message: String, losesData: Bool = false) {
            steps.append(.init(action, new.name, property, message, losesData: losesData))
        }
        if !isFirst {
            add(.add, nil, "make \(new.name) of \(old.name)")
        } else if old.name != new.name {
            add(.rename, nil, "rename entity \(old.name) to \(new.name)")
        }
        if let policy = mapping.policy { add(.convert, nil, "let the policy \(policy) make \(new.name) of \(old.name)") }
        if let condition = mapping.condition {
            let isOnly = entityMappings.filter { $0.source == old.name }.count == 1
            add(.drop, nil, "leave out each \(old.name) that does not meet: \(condition)", losesData: isOnly)
        }
        let parents = (old.superentity.map { source.entities[$0].name }, new.superentity.map { destination.entities[$0].name })
        let oldParent = new.superentity.flatMap { self.mapping(to: destination.entities[$0]).source } ?? parents.1
        if isFirst && parents.0 != oldParent {
            add(.move, nil, "move entity \(new.name) from \(parents.0 ?? "the top") to \(parents.1 ?? "the top")")
        }
        if new.isAbstract && !old.isAbstract { add(.require, nil, "require that no object is a \(new.name) itself") }
        let kept = Set(mapping.properties.compactMap(\.source))
        let isRead = isRead(of: old)
        for property in old.properties where isFirst && !kept.contains(property.name) && isOwn(property, of: old, keptAs: new) {
            guard property.relationship?.isHidden != true, property.relationship?.isTransient != true,
                property.attribute?.isTransient != true
            else { continue }
            // The inverse may keep the relationship's links.
            let isKept = property.relationship.map { isKeptByInverse($0) } ?? false || isRead(property.name)
            add(.drop, property.name, "drop \(old.name).\(property.name)", losesData: !isKept)
        }
        for property in mapping.properties {
            guard let after = new.property(named: property.name), isOwn(after, of: new) else { continue }
            if let expression = property.expression {
                add(.convert, property.name, "compute \(new.name).\(property.name) as \(expression)")
                continue
            }
            guard let before = property.source.flatMap({ old.property(named: $0) }) else {
                add(.add, property.name, "add \(new.name).\(property.name)" + after.defaultInWords)
                continue
            }
            if before.name != after.name {
                add(.rename, property.name, "rename \(old.name).\(before.name) to \(new.name).\(after.name)")
            }
            switch (before, after) {
            case (.attribute(let before), .attribute(let after)): steps += self.steps(before, after, new)
            case (.relationship(let before), .relationship(let after)): steps += self.steps(before, after, new)
            default: break
            }
        }
        for constraint in new.uniquenessConstraints where constraint.declaringEntity == new.index {
            let before = constraint.names.map { name in mapping.properties.first { $0.name == name }?.source }
            if old.uniquenessConstraints.contains(where: { $0.names.map(Optional.some) == before }) { continue }
            let names = constraint.names.joined(separator: ", ")
            add(.require, constraint.names.first, "require that \(new.name).\(names) is unique")
        }
        return steps
    }

    /// Returns a test whether a source property is kept by one of several mappings, or read by an expression.
    private func isRead(of old: EntityDescription) -> (String) -> Bool {
        let mappings = entityMappings.filter { $0.source == old.name }
        let kept = Set(mappings.flatMap { $0.properties.compactMap(\.source) })
        let texts = entityMappings.flatMap { $0.properties.compactMap(\.expression) }
        return { name in
            kept.contains(name) || texts.contains { $0.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.contains(Substring(name)) }
        }
    }

    private func steps(_ old: AttributeDescription, _ new: AttributeDescription, _ entity: EntityDescription) -> [MigrationPlan.Step] {
        var steps: [MigrationPlan.Step] = []
        let name = "\(entity.name).\(new.name)"
        func add(_ action: MigrationPlan.Step.Action, _ message: String) { steps.append(.init(action, entity.name, new.name, message)) }
        if old.type != new.type { add(.convert, "convert \(name) from \(old.type) to \(new.type)") }
        if old.declaration.allowsExternalStorage != new.declaration.allowsExternalStorage {
            let words = new.declaration.allowsExternalStorage ? "in files of their own" : "in the store"
            add(.convert, "keep large values of \(name) \(words)")
        }
        if old.isOptional && new.requiresValue {
            add(.require, "require a value of \(name)" + PropertyDescription.attribute(new).defaultInWords)
        }
        return steps
    }

    private func steps(
        _ old: RelationshipDescription, _ new: RelationshipDescription, _ entity: EntityDescription
    ) -> [MigrationPlan.Step] {
        var steps: [MigrationPlan.Step] = []
        let name = "\(entity.name).\(new.name)"
        func add(_ action: MigrationPlan.Step.Action, _ message: String, losesData: Bool = false) {
            steps.append(.init(action, entity.name, new.name, message, losesData: losesData))
        }
        let (before, after) = (old.declaration.cardinality, new.declaration.cardinality)
        if before != after {
            let isNarrower = old.isToMany && !new.isToMany || old.isOrdered && !new.isOrdered
            add(.convert, "convert \(name) from \(before.words) to \(after.words)", losesData: isNarrower)
        }
        if let inverse = overruling(old, new) {
            add(.convert, "lead \(name) back to where \(inverse) comes from", losesData: true)
        } else if isNarrowed(old, new) {
            add(.convert, "let one object at most lead to each by \(name)", losesData: true)
        }
        let (origin, target) = (source.destination(of: old), destination.destination(of: new))
        if self.mapping(to: target).source != origin.name {
            let isLost = origin.hierarchy.contains { index in
                !entityMappings.contains {
                    $0.source == source.entities[index].name
                        && $0.destination.flatMap { destination.entity(named: $0) }?.isKind(of: target) == true
                }
            }
            add(.move, "lead \(name) to \(target.name) instead of \(origin.name)", losesData: isLost)
        }
        if old.isOptional && !new.isOptional && (!new.isToMany || new.declaration.minCount > 0) {
            add(.require, "require a destination of \(name)")
        }
        return steps
    }

    /// Returns whether the property is the entity's own rather than inherited.
    private func isOwn(_ property: PropertyDescription, of entity: EntityDescription) -> Bool {
        property.declaringEntity == entity.index
    }

    /// Returns whether the property is the entity's own, or its parent is not the origin of the new entity's parent.
    private func isOwn(_ property: PropertyDescription, of old: EntityDescription, keptAs new: EntityDescription) -> Bool {
        if isOwn(property, of: old) { return true }
        let declaring = source.entities[property.declaringEntity].name
        return !entityMappings.contains { mapping in
            mapping.source == declaring && mapping.destination.flatMap { destination.entity(named: $0) }.map { new.isKind(of: $0) } == true
        }
    }

    /// Returns whether several objects could reference one, of which only the first can now, without an inverse's step.
    private func isNarrowed(_ old: RelationshipDescription, _ new: RelationshipDescription) -> Bool {
        let back = source.inverse(of: old)
        guard let inverse = destination.inverse(of: new), !inverse.isToMany, back?.isToMany != false else { return false }
        guard let back, !inverse.isHidden, let origin = origin(of: inverse, in: destination.entities[inverse.declaringEntity]) else {
            return true
        }
        return !isSame(origin, back)
    }

    /// Returns the other one of two relationships that become inverses, if its links are kept and this one's deleted.
    private func overruling(_ old: RelationshipDescription, _ new: RelationshipDescription) -> String? {
        guard let inverse = destination.inverse(of: new), !inverse.isHidden,
            let other = destination.destination(of: new).hierarchy.lazy.compactMap({ origin(of: inverse, in: destination.entities[$0]) })
                .first,
            source.inverse(of: old).map({ isSame($0, other) }) != true, !new.keepsLinks(over: inverse)
        else { return nil }
        return "\(destination.entities[inverse.declaringEntity].name).\(inverse.name)"
    }

    /// Returns the relationship that is the origin of one of an entity of the destination.
    private func origin(of relationship: RelationshipDescription, in entity: EntityDescription) -> RelationshipDescription? {
        let mapping = mapping(to: entity)
        guard let name = mapping.properties.first(where: { $0.name == relationship.name })?.source else { return nil }
        return mapping.source.flatMap { source.entity(named: $0) }?.property(named: name)?.relationship
    }

    private func isSame(_ a: RelationshipDescription, _ b: RelationshipDescription) -> Bool {
        a.declaringEntity == b.declaringEntity && a.index == b.index
    }

    /// Returns whether the inverse of a removed relationship keeps its links.
    private func isKeptByInverse(_ old: RelationshipDescription) -> Bool {
        guard let inverse = source.inverse(of: old), !inverse.isHidden else { return false }
        let owner = source.destination(of: old).name
        return entityMappings.contains { mapping in
            mapping.source == owner && mapping.properties.contains { $0.source == inverse.name }
        }
    }
}

extension MigrationPlan.Step {
    fileprivate init(_ action: Action, _ entity: String, _ property: String?, _ message: String, losesData: Bool = false) {
        self.action = action
        self.entity = entity
        self.property = property
        self.message = message
        self.losesData = losesData
    }
}

extension RelationshipDescription {
    /// Returns whether its links are kept if two relationships become inverses: a to-one's, or the first one's.
    package func keepsLinks(over inverse: RelationshipDescription) -> Bool {
        isToMany == inverse.isToMany ? (declaringEntity, index) <= (inverse.declaringEntity, inverse.index) : !isToMany
    }
}

extension PropertyDescription {
    var declaringEntity: EntityIndex {
        switch self {
        case .attribute(let attribute): attribute.declaringEntity
        case .relationship(let relationship): relationship.declaringEntity
        }
    }

    /// The default value in words.
    fileprivate var defaultInWords: String {
        switch self {
        case .attribute(let attribute):
            if let expression = attribute.declaration.derivationExpression {
                ", derived of \(expression)"
            } else if !attribute.defaultValue.isNull {
                " with the default \(attribute.defaultValue)"
            } else {
                attribute.isOptional ? "" : ", required, without a default"
            }
        case .relationship(let relationship): relationship.isOptional ? "" : ", required"
        }
    }
}

extension Relationship.Cardinality {
    fileprivate var words: String {
        switch self {
        case .toOne: "to-one"
        case .toMany: "to-many"
        case .ordered: "ordered to-many"
        }
    }
}
