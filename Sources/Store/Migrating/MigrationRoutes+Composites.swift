extension MigrationRoutes {
    /// The rows without a value of an attribute that get its default value.
    public enum Filling: Sendable {
        /// No row.
        case none
        /// All rows.
        case all
        /// The rows with a value in any of some slots of the source, and those without one in any of others.
        case some(any: [Slot], none: [Slot])
    }

    private func origins(_ attributes: [AttributeDescription], _ entity: EntityDescription) -> [AttributeDescription] {
        attributes.compactMap { origin(of: $0.name, in: entity)?.attribute }
    }

    /// Returns the requirements of composite attributes of an entity that the source did not have.
    ///
    /// - Parameter entity: An entity of the destination.
    public func newRequirements(of entity: EntityDescription) -> [CompositeRequirement] {
        guard let source = mapping.source(of: entity) else { return [] }
        let known = source.compositeRequirements
        return entity.compositeRequirements.filter { requirement in
            let needed = origins(requirement.needed, entity)
            let condition = requirement.condition.map { origins($0.attributes, entity) }
            if needed.contains(where: \.requiresValue) { return false }
            // Where all is new no row has any value.
            if let condition, condition.isEmpty, requirement.condition?.attributes.allSatisfy(\.defaultValue.isNull) == true {
                return false
            }
            return !known.contains { old in
                Set(old.needed.map(\.name)).isSubset(of: needed.map(\.name))
                    && (old.condition.map { old in
                        condition.map { !$0.isEmpty && Set($0.map(\.name)).isSubset(of: old.attributes.map(\.name)) } ?? false
                    } ?? true)
            }
        }
    }

    /// Returns which rows get an attribute's default value: a composite value that exists is completed, and a missing one stays missing
    /// unless it is required.
    ///
    /// - Parameters:
    ///   - attribute: An attribute of the entity.
    ///   - entity: An entity of the destination.
    public func filling(of attribute: AttributeDescription, in entity: EntityDescription) -> Filling {
        let old = origin(of: attribute.name, in: entity)?.attribute
        if attribute.requiresValue && old?.isOptional != false { return .all }
        let composites = entity.composites(with: attribute)
        guard !composites.isEmpty, !attribute.defaultValue.isNull else { return old == nil ? .all : .none }
        func slots(_ attributes: [AttributeDescription]) -> [Slot] { origins(attributes, entity).compactMap(\.slot) }
        var (any, none): ([Slot], [Slot]) = ([], [])
        if old == nil {
            guard let kept = composites.last(where: { !slots($0.attributes).isEmpty }) else { return .all }
            any = slots(kept.attributes)
        }
        for requirement in newRequirements(of: entity) where requirement.needed.contains(where: { $0.index == attribute.index }) {
            if let condition = requirement.condition { any += slots(condition.attributes) } else { none += slots(requirement.needed) }
        }
        return any.isEmpty && none.isEmpty ? .none : .some(any: any, none: none)
    }
}

extension EntityDescription {
    /// Returns the composite attributes that an attribute is an element of, the outer ones first.
    fileprivate func composites(with attribute: AttributeDescription) -> [CompositeAttributeDescription] {
        func composites(_ all: [CompositeAttributeDescription]) -> [CompositeAttributeDescription] {
            guard let outer = all.first(where: { $0.attributes.contains { $0.index == attribute.index } }) else { return [] }
            return [outer] + composites(outer.elements.compactMap { if case .composite(let inner) = $0 { inner } else { nil } })
        }
        return composites(compositeAttributes)
    }
}
