extension MappingModel {
    /// Creates a mapping from given entity mappings and infers the rest.
    ///
    /// ```swift
    /// let mapping = try MappingModel(from: first, to: second) {
    ///     EntityMapping(from: "Person", to: "Person") {
    ///         PropertyMapping("label", "uppercase:($source.name)")
    ///     }
    ///     EntityMapping(from: "Person", to: "Address", where: "street != nil") {
    ///         PropertyMapping("resident", "$source", mappedBy: "PersonToPerson")
    ///     }
    /// }
    /// ```
    /// An entity may be split into several, and several merged. Mappings are executed in their order.
    ///
    /// - Parameters:
    ///   - source: The model that stores were made with.
    ///   - destination: The model that they are migrated to.
    ///   - infersRest: Whether entities of the destination without a mapping, and properties that a mapping leaves out,
    ///     are inferred, as ``inferred(from:to:)`` does. Otherwise the former have no objects, and the latter their
    ///     defaults.
    ///   - entityMappings: The mappings that cannot be inferred.
    /// - Throws: ``MappingError`` for a mapping with a missing or unsuitable entity or property; if two have one name;
    ///   if the rest cannot be inferred. Expressions are checked when a migration begins.
    public init(
        from source: ManagedObjectModel, to destination: ManagedObjectModel, infersRest: Bool = true,
        @EntityMappingBuilder _ entityMappings: () -> [EntityMapping]
    ) throws(MappingError) {
        let given = entityMappings()
        var names: Set<String> = []
        for mapping in given where !names.insert(mapping.name).inserted {
            throw MappingError(
                .duplicateName, entity: mapping.destination ?? mapping.source ?? "", "two mappings have the name \(mapping.name)")
        }
        var all = given
        if infersRest {
            let inference = try MappingInference(source, destination, dropsLossyTypes: false)
            all = []
            for mapping in given { all.append(try inference.completed(mapping)) }
            let made = Set(given.compactMap(\.destination)), used = Set(given.compactMap(\.source))
            for entity in destination.entities where !made.contains(entity.name) {
                let inferred = try inference.mapping(to: entity)
                // Objects with a given mapping are not also mapped by inference.
                all.append(inferred.source.map { used.contains($0) } == true ? inference.addition(of: entity) : inferred)
            }
            all += inference.removals.filter { removal in !used.contains(removal.source ?? "") }
        }
        self.init(source: source, destination: destination, entityMappings: all)
        for mapping in all { try check(mapping) }
    }

    private func check(_ mapping: EntityMapping) throws(MappingError) {
        if let name = mapping.source, source.entity(named: name) == nil {
            throw MappingError(.unknownEntity, entity: name, "the source has no such entity (mapping \(mapping.name))")
        }
        guard let name = mapping.destination else { return }
        guard let entity = destination.entity(named: name) else {
            throw MappingError(.unknownEntity, entity: name, "the destination has no such entity (mapping \(mapping.name))")
        }
        var names: Set<String> = []
        for property in mapping.properties {
            func refuse(_ reason: MappingError.Reason, _ message: String) -> MappingError {
                MappingError(reason, entity: name, property: property.name, message)
            }
            guard let target = entity.property(named: property.name), target.relationship?.isHidden != true else {
                throw refuse(.unknownProperty, "the destination has no such property (mapping \(mapping.name))")
            }
            guard names.insert(property.name).inserted else {
                throw refuse(.duplicateName, "it is mapped twice (mapping \(mapping.name))")
            }
            guard let old = property.source else { continue }
            guard let origin = mapping.source.flatMap({ source.entity(named: $0) })?.property(named: old) else {
                throw refuse(
                    .unknownProperty,
                    "the source's entity \(mapping.source ?? "") has no property \(old) (mapping \(mapping.name))")
            }
            switch (origin, target) {
            case (.attribute(let before), .attribute(let after)) where before.isLossless(to: after): break
            case (.relationship, .relationship): break
            case (.attribute(let before), .attribute(let after)):
                throw refuse(.typeChange, "the type changes from \(before.type) to \(after.type)")
            default:
                throw refuse(.typeChange, "\(old) of \(mapping.source ?? "") is of another kind of property")
            }
        }
    }
}
