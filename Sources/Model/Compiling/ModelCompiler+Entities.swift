import StrataText

extension ModelCompiler {
    mutating func compile() throws(ModelError) -> [EntityDescription] {
        var compiled: [EntityDescription] = []
        for index in nodes.typedIndices(EntityIndex.self) {
            compiled.append(try compile(index, parent: nodes[index].parent.map { compiled[$0] }))
        }
        for entity in compiled { try checkDestinations(of: entity, in: compiled) }
        return compiled
    }

    private func compile(_ index: EntityIndex, parent: EntityDescription?) throws(ModelError) -> EntityDescription {
        let node = nodes[index]
        let entity = node.declaration
        var properties = parent?.properties ?? []
        var slots = parent?.layout.slots ?? []
        let attributes = Dictionary(node.attributes.map { ($0.name, $0) }) { first, _ in first }
        for name in node.ownNames {
            let property = properties.count
            if let attribute = attributes[name] {
                properties.append(.attribute(try compile(attribute, at: property, of: index, &slots)))
            } else if let (relationship, _) = relationship(name, of: index) {
                properties.append(.relationship(compile(relationship, at: property, of: index, &slots)))
            }
        }
        let members = EntityDescription.Members(
            properties: properties, compositeAttributes: composites(of: index, properties),
            fetchedProperties: try fetchedProperties(of: index, properties, parent), layout: RowLayout(slots: slots),
            uniquenessConstraints: try constraints(of: index, properties), indexes: try indexes(of: index, properties))
        return EntityDescription(
            entity, hierarchy: index..<end(of: index), parent: parent, subentities: node.children, members,
            versionHash: VersionHash.of(entity, parentHash: parent?.versionHash, properties: node.propertyHashes))
    }

    /// Checks the classes of destinations against the typed keys that relationships were declared with.
    private func checkDestinations(of entity: EntityDescription, in entities: [EntityDescription]) throws(ModelError) {
        for relationship in entity.relationships where relationship.declaringEntity == entity.index {
            guard let check = relationship.declaration.destinationCheck else { continue }
            for index in entities[relationship.destination].hierarchy where !entities[index].isAbstract {
                guard let reason = check(entities[index].objectClass) else { continue }
                throw failure(.wrongType, entity.index, relationship.name, "\(reason), the class of \(entities[index].name)")
            }
        }
    }

    /// Returns the index after the entity's last descendant.
    private func end(of index: EntityIndex) -> EntityIndex {
        var end = index.advanced(by: 1)
        while nodes.typedIndices().contains(end), isAncestor(index, of: end) { end = end.advanced(by: 1) }
        return end
    }

    // MARK: - Attributes

    private func compile(
        _ attribute: Attribute, at property: Int, of index: EntityIndex, _ slots: inout [SlotDescription]
    ) throws(ModelError) -> AttributeDescription {
        if attribute.type == .undefined && !attribute.isTransient {
            throw failure(.undefinedType, index, attribute.name, "a persistent attribute has a type")
        }
        if let expression = attribute.derivationExpression, attribute.isTransient || expression.isEmpty {
            throw failure(
                .illegalRule, index, attribute.name,
                attribute.isTransient
                    ? "a derived attribute is kept in the store and cannot be transient" : "nothing says what the attribute is derived of")
        }
        if let name = attribute.userInfo[GeneratedValue.userInfoKey] {
            guard let value = attribute.generatedValue else {
                throw failure(.illegalRule, index, attribute.name, "unknown generated value \(name)")
            }
            guard value.fits(attribute.type), attribute.derivationExpression == nil, !attribute.isTransient else {
                throw failure(
                    .illegalRule, index, attribute.name,
                    value == .sequence
                        ? "only a stored attribute that is integer64 has a sequence"
                        : "only a stored attribute that is uuid has generated UUIDs")
            }
        }
        if let key = attribute.key, !key.fits.contains(attribute.type) {
            throw failure(.wrongType, index, attribute.name, "a \(key.name) does not fit an attribute that is \(attribute.type)")
        }
        var value = Value.null
        if let declared = attribute.defaultValue {
            guard let coerced = attribute.type == .undefined ? declared : attribute.type.coerce(declared) else {
                throw failure(.wrongType, index, attribute.name, "the default \(declared) is no \(attribute.type)")
            }
            value = coerced
        }
        for rule in attribute.validation { try check(rule, of: attribute, index) }
        var slot: Slot?
        if !attribute.isTransient {
            slot = Slot(slots.count)
            slots.append(SlotDescription(kind: SlotKind(attribute.type), property: property))
        }
        return AttributeDescription(declaration: attribute, index: property, slot: slot, declaringEntity: index, defaultValue: value)
    }

    private func check(_ rule: ValidationRule, of attribute: Attribute, _ index: EntityIndex) throws(ModelError) {
        func refuse(_ reason: ModelError.Reason, _ message: String) -> ModelError { failure(reason, index, attribute.name, message) }
        switch rule {
        case .range(let least, let most):
            guard attribute.type.isNumeric || attribute.type == .date else {
                throw refuse(.illegalRule, "only numbers and dates have a range")
            }
            for bound in [least, most].compactMap(\.self) {
                guard !bound.isNull,
                    attribute.type.coerce(bound) != nil || attribute.type.isNumeric && AttributeType.double.coerce(bound) != nil
                else {
                    throw refuse(.wrongType, "the bound \(bound) is no \(attribute.type)")
                }
                guard bound.equals(bound) else { throw refuse(.illegalRule, "nothing is above or below \(bound)") }
            }
            if let least, let most, least.compare(most) == .greater { throw refuse(.illegalRule, "nothing is from \(least) to \(most)") }
        case .length(let least, let most):
            guard attribute.type == .string || attribute.type == .binary else {
                throw refuse(.illegalRule, "only text and bytes have a length")
            }
            if (least ?? 0) < 0 || (most ?? 0) < 0 || (least ?? 0) > (most ?? .max) { throw refuse(.illegalRule, "nothing is that long") }
        case .predicate(let format, _):
            if format.isEmpty { throw refuse(.illegalRule, "nothing says what values are to meet") }
        case .pattern(let pattern):
            guard attribute.type == .string else { throw refuse(.illegalRule, "only text matches a pattern") }
            do throws(PatternError) { _ = try RegularExpression(pattern) } catch {
                throw refuse(.illegalRule, "\(pattern) is no regular expression: \(error)")
            }
        }
    }

    // MARK: - Relationships

    private func compile(
        _ relationship: Relationship, at property: Int, of index: EntityIndex, _ slots: inout [SlotDescription]
    ) -> RelationshipDescription {
        let destination = indexByName[relationship.destination] ?? index
        let hiddenInverse = "\(nodes[index].declaration.name).\(relationship.name)"
        let inverseName = relationship.inverse ?? (relationship.cardinality == .toOne ? nil : hiddenInverse)
        let inverseIndex = inverseName.flatMap { nodes[destination].propertyIndex[$0] }
        let storage: RelationshipDescription.Storage
        if relationship.isTransient {
            storage = .none
        } else if relationship.cardinality == .toOne {
            func add(_ kind: SlotKind) -> Slot {
                slots.append(SlotDescription(kind: kind, property: property))
                return Slot(slots.count - 1)
            }
            let inverse = inverseName.flatMap { self.relationship($0, of: destination)?.0 }
            storage = .toOne(
                reference: add(.reference),
                entity: nodes[destination].children.isEmpty ? nil : add(.entity),
                order: inverse?.cardinality == .ordered ? add(.order) : nil)
        } else {
            storage = self.storage(ofToMany: property, of: index, inverse: inverseIndex)
        }
        return RelationshipDescription(
            declaration: relationship, index: property, declaringEntity: index, destination: destination, inverse: inverseIndex,
            storage: storage, isHidden: nodes[index].hidden.contains { $0.name == relationship.name })
    }

    private func storage(ofToMany property: Int, of index: EntityIndex, inverse: Int?) -> RelationshipDescription.Storage {
        for table in linkTables {
            if table.first.entity == index && table.first.property == property { return .links(table: table.index, side: .first) }
            if table.second.entity == index && table.second.property == property { return .links(table: table.index, side: .second) }
        }
        return inverse.map { .inverse(property: $0) } ?? .none
    }

    // MARK: - Fetched properties

    private func fetchedProperties(
        of index: EntityIndex, _ properties: [PropertyDescription], _ parent: EntityDescription?
    ) throws(ModelError) -> [FetchedProperty] {
        let entity = nodes[index].declaration
        var names = Set(properties.map(\.name) + (parent?.fetchedProperties ?? []).map(\.name))
        for property in entity.fetchedProperties {
            try ModelCompiler.checkName(property.name, entity: entity.name, property: property.name)
            guard names.insert(property.name).inserted else {
                throw failure(.duplicateName, index, property.name, "the entity or an ancestor has another property of this name")
            }
            guard indexByName[property.destination] != nil else {
                throw failure(.unknownDestination, index, property.name, "the destination \(property.destination) is not in the model")
            }
        }
        return entity.fetchedProperties.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    // MARK: - Constraints and indexes

    private func constraints(of index: EntityIndex, _ properties: [PropertyDescription]) throws(ModelError) -> [UniquenessConstraint] {
        var constraints: [UniquenessConstraint] = []
        for constraint in nodes[index].declaration.uniquenessConstraints {
            var indexes: [Int] = []
            var slots: [Slot] = []
            for name in constraint.attributes {
                guard let attribute = nodes[index].propertyIndex[name].flatMap({ properties[$0].attribute }), let slot = attribute.slot
                else {
                    throw failure(
                        .unknownProperty, index, name,
                        nodes[index].composites.contains(name)
                            ? "a uniqueness constraint names the elements of a composite attribute"
                            : "a uniqueness constraint is over persistent attributes of the entity")
                }
                indexes.append(attribute.index)
                slots.append(slot)
            }
            guard !indexes.isEmpty, Set(indexes).count == indexes.count else {
                throw failure(.illegalRule, index, nil, "a uniqueness constraint names one attribute or several, each once")
            }
            constraints.append(
                UniquenessConstraint(declaringEntity: index, properties: indexes, slots: slots, names: constraint.attributes))
        }
        return constraints
    }

    private func indexes(of index: EntityIndex, _ properties: [PropertyDescription]) throws(ModelError) -> [FetchIndexDescription] {
        var names: Set<String> = []
        var indexes: [FetchIndexDescription] = []
        for declared in nodes[index].declaration.indexes {
            func refuse(_ message: String) -> ModelError { failure(.illegalRule, index, declared.name, message) }
            guard names.insert(declared.name).inserted, !declared.name.isEmpty else {
                throw failure(.duplicateName, index, declared.name, "two indexes have this name")
            }
            var elements: [FetchIndexDescription.Element] = []
            if declared.hasExpressions {
                if declared.isLocation { throw refuse("a location index is over one to five numbers") }
                continue
            }
            for element in declared.elements {
                let property = nodes[index].propertyIndex[element.property].map { PropertySlot(properties[$0]) }
                guard let property, let slot = property.slot else {
                    throw failure(
                        .unknownProperty, index, element.property,
                        nodes[index].composites.contains(element.property)
                            ? "an index names the elements of a composite attribute"
                            : "the index \(declared.name) is over persistent attributes and to-one relationships of the entity")
                }
                elements.append(.init(property: property.property, slot: slot, kind: property.kind, isAscending: element.isAscending))
            }
            if elements.isEmpty { throw refuse("an index has at least one property") }
            guard !declared.isLocation || elements.count <= 5 && elements.allSatisfy({ [.integer, .double, .float].contains($0.kind) })
            else { throw refuse("a location index is over one to five numbers") }
            indexes.append(
                FetchIndexDescription(
                    name: declared.name, elements: elements, isLocation: declared.isLocation, condition: declared.condition))
        }
        return indexes
    }
}
