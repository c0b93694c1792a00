import StrataModel
import StrataModelFiles
import StrataQuery

/// Makes Core Data's descriptions from a model file.
struct ModelReader {
    let declarations: ModelDeclarations
    let source: ModelSource
    private var entities: [String: NSEntityDescription] = [:]

    init(_ version: ModelFile.Version) throws(ModelFileError) {
        self.init(try version.declarations(), ModelSource(version.document))
    }

    /// Returns the models of all versions at a URL, by the names of the versions.
    static func models(at url: URL) throws -> [String: NSManagedObjectModel] {
        let url = ModelLocator.existing(url)
        let list = VersionList.of(url)
        var models: [String: NSManagedObjectModel] = [:]
        let compiled = ModelLocator.versions(in: url)
        if let list, !compiled.isEmpty, compiled.allSatisfy({ list.hashes(ofWhole: $0) != nil }) {
            // Those are read when they are used.
            for version in compiled { models[VersionList.name(of: version)] = NSManagedObjectModel(contentsOf: version) }
            return models
        }
        let file = try ModelFile(contentsOf: url.path)
        let listed = list?.hashes ?? [:]
        for version in file.versions {
            let model = NSManagedObjectModel()
            try ModelReader(version).fill(model)
            listed[version.name].map { model.take(listedHashes: $0) }
            models[version.name] = model
        }
        return models
    }

    private init(_ declarations: ModelDeclarations, _ source: ModelSource) {
        self.declarations = declarations
        self.source = source
        for entity in declarations.entities { entities[entity.name] = description(of: entity) }
        for entity in declarations.entities { connect(entity) }
    }

    /// Fills an empty model.
    func fill(_ model: NSManagedObjectModel) {
        model.entities = declarations.entities.compactMap { entities[$0.name] }
        for configuration in declarations.configurations {
            model.setEntities(configuration.entities.compactMap { entities[$0] }, forConfigurationName: configuration.name)
        }
        for template in declarations.fetchTemplates {
            let request = request(of: template)
            source.complete(request, named: template.name)
            model.setFetchRequestTemplate(request, forName: template.name)
        }
        model.versionIdentifiers = Set(declarations.versionIdentifiers)
    }

    // MARK: - Entities

    private func description(of entity: Entity) -> NSEntityDescription {
        let description = NSEntityDescription()
        description.name = entity.name
        description.managedObjectClassName = declarations.classNames[entity.name]
        description.isAbstract = entity.isAbstract
        description.renamingIdentifier = entity.renamingIdentifier
        description.versionHashModifier = entity.versionHashModifier
        description.userInfo = entity.userInfo
        description.uniquenessConstraints = (entity.uniquenessConstraints + entity.unenforcedConstraints).map(\.attributes)
        description.properties =
            entity.attributes.map { self.description(of: $0) }
            + entity.relationships.map { self.description(of: $0) } + entity.fetchedProperties.map { self.description(of: $0) }
        source.complete(description)
        return description
    }

    /// Sets the references to other entities.
    private func connect(_ entity: Entity) {
        guard let description = entities[entity.name] else { return }
        description.subentities = declarations.entities.filter { $0.parent == entity.name }.compactMap { entities[$0.name] }
        let relationships = description.ownProperties.compactMap { $0 as? NSRelationshipDescription }
        for (relationship, declared) in zip(relationships, entity.relationships) {
            relationship.destinationEntity = entities[declared.destination]
            relationship.inverseRelationship = declared.inverse.flatMap { inverse(named: $0, of: declared.destination) }
        }
        description.indexes = entity.indexes.map { self.description(of: $0, in: description) }
    }

    /// Returns a relationship that an entity or one of its ancestors declares.
    private func inverse(named name: String, of entity: String) -> NSRelationshipDescription? {
        var owner = declarations.entities.first { $0.name == entity }
        var seen: Set<String> = []
        while let current = owner, seen.insert(current.name).inserted {
            let found = entities[current.name]?.ownProperties.first { $0.name == name }
            if let relationship = found as? NSRelationshipDescription { return relationship }
            owner = current.parent.flatMap { parent in declarations.entities.first { $0.name == parent } }
        }
        return nil
    }

    // MARK: - Properties

    private func description(of attribute: Attribute) -> NSAttributeDescription {
        let composite = attribute.type == .composite ? NSCompositeAttributeDescription() : nil
        composite?.elements = attribute.elements.map { self.description(of: $0) }
        let derived = attribute.derivationExpression == nil ? nil : NSDerivedAttributeDescription()
        derived?.derivationExpression = attribute.derivationExpression.flatMap { expression($0) }
        let description: NSAttributeDescription = composite ?? derived ?? NSAttributeDescription()
        description.name = attribute.name
        description.attributeType = NSAttributeType(attribute.type)
        description.isOptional = attribute.isOptional
        description.isTransient = attribute.isTransient
        description.defaultValue = attribute.defaultValue.flatMap { DefaultValue.object($0, of: attribute) }
        description.valueTransformerName = attribute.transformer?.name
        description.allowsExternalBinaryDataStorage = attribute.allowsExternalStorage
        description.preservesValueInHistoryOnDeletion = attribute.preservesValueInHistoryOnDeletion
        description.renamingIdentifier = attribute.renamingIdentifier
        description.versionHashModifier = attribute.versionHashModifier
        description.userInfo = attribute.userInfo
        let (predicates, warnings) = ValidationRules.predicates(of: attribute.validation, attribute.type)
        description.setValidationPredicates(predicates, withValidationWarnings: warnings)
        return description
    }

    private func description(of relationship: Relationship) -> NSRelationshipDescription {
        let description = NSRelationshipDescription()
        description.name = relationship.name
        description.isOptional = relationship.isOptional
        description.isTransient = relationship.isTransient
        description.isOrdered = relationship.cardinality == .ordered || relationship.hasIgnoredOrder
        description.minCount = relationship.minCount
        description.maxCount = relationship.maxCount
        description.unmatchedInverse = relationship.unmatchedInverse
        description.deleteRule = NSDeleteRule(rawValue: UInt(relationship.deleteRule.rawValue)) ?? .nullifyDeleteRule
        description.renamingIdentifier = relationship.renamingIdentifier
        description.versionHashModifier = relationship.versionHashModifier
        description.userInfo = relationship.userInfo
        return description
    }

    private func description(of property: FetchedProperty) -> NSFetchedPropertyDescription {
        let description = NSFetchedPropertyDescription()
        description.name = property.name
        description.userInfo = property.userInfo
        description.fetchRequest = request(
            of: FetchTemplate(
                property.name, entity: property.destination, predicate: property.predicate, sort: property.sort, limit: property.limit))
        return description
    }

    private func request(of template: FetchTemplate) -> NSFetchRequest<any NSFetchRequestResult> {
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: template.entity)
        request.predicate = predicate(template.predicate)
        if !template.sort.isEmpty {
            request.sortDescriptors = template.sort.map { NSSortDescriptor(key: $0.keyPath, ascending: $0.isAscending) }
        }
        request.fetchLimit = template.limit ?? 0
        request.fetchOffset = template.offset
        request.includesSubentities = template.includesSubentities
        return request
    }

    // MARK: - Indexes

    private func description(of index: FetchIndex, in entity: NSEntityDescription) -> NSFetchIndexDescription {
        let kind: NSFetchIndexElementType = index.isLocation ? .rTree : .binary
        let elements = index.elements.map { element in
            let description: NSFetchIndexElementDescription
            if let text = element.expression {
                let computed = NSExpressionDescription()
                computed.name = "expression"
                computed.expression = expression(text)
                description = NSFetchIndexElementDescription(property: computed, collationType: kind)
            } else {
                let member = entity.property(at: element.property)
                description = NSFetchIndexElementDescription(path: element.property, property: member, collationType: kind)
            }
            description.isAscending = element.isAscending
            return description
        }
        let description = NSFetchIndexDescription(name: index.name, elements: elements)
        description.partialIndexPredicate = predicate(index.condition)
        return description
    }

    // MARK: - Texts

    private func predicate(_ text: String?) -> NSPredicate? {
        text.flatMap { text in reading("A predicate") { NSPredicate.make(try QueryPredicate(format: text)) } }
    }

    private func expression(_ text: String) -> NSExpression? {
        reading("An expression") { NSExpression.make(try QueryExpression(format: text)) }
    }

    /// Returns what is read from a text; a malformed one is logged, and left out.
    private func reading<Part>(_ part: String, _ read: () throws -> Part) -> Part? {
        do { return try read() } catch {
            ModelLog.say("\(part) of a model is left out: \(error)")
            return nil
        }
    }
}

/// The parts of a model's source that Strata's declarations do not have; empty for a compiled model.
struct ModelSource {
    private static let kinds: Set<String> = ["attribute", "relationship", "fetchedProperty"]
    private var entities: [String: ModelDocument.Element] = [:]
    private var properties: [String: [String: ModelDocument.Element]] = [:]
    private var templates: [String: ModelDocument.Element] = [:]

    init(_ document: ModelDocument?) {
        for child in document?.root.children ?? [] {
            guard let name = child["name"] else { continue }
            if child.name == "fetchRequest" { templates[name] = child }
            guard child.name == "entity" else { continue }
            entities[name] = child
            for property in child.children where ModelSource.kinds.contains(property.name) {
                if let own = property["name"] { properties[name, default: [:]][own] = property }
            }
        }
    }

    func complete(_ entity: NSEntityDescription) {
        guard let name = entity.name else { return }
        for property in entity.ownProperties {
            if let element = properties[name]?[property.name] { complete(property, from: element) }
        }
        guard let text = entities[name]?["coreSpotlightDisplayNameExpression"] else { return }
        entity.coreSpotlightDisplayNameExpression = (try? QueryExpression(format: text)).map { NSExpression.make($0) }
    }

    private func complete(_ property: NSPropertyDescription, from element: ModelDocument.Element) {
        property.isIndexedBySpotlight = element["spotlightIndexingEnabled"] == "YES"
        property.isStoredExternally = element["storedInTruthFile"] == "YES"
        if property is NSFetchedPropertyDescription {
            property.isOptional = element["optional"] == "YES"
            if let name = nonEmpty(element["elementID"]) { property.renamingIdentifier = name }
            property.versionHashModifier = nonEmpty(element["versionHashModifier"])
        }
        guard let attribute = property as? NSAttributeDescription else { return }
        attribute.allowsCloudEncryption = element["allowsCloudEncryption"] == "YES"
        if let name = nonEmpty(element["customClassName"]) { attribute.attributeValueClassName = name }
    }

    /// Sets the results of a template's request.
    func complete(_ template: NSFetchRequest<any NSFetchRequestResult>, named name: String) {
        guard let element = templates[name] else { return }
        if let type = element["resultType"].flatMap({ UInt($0) }) { template.resultType = NSFetchRequestResultType(rawValue: type) }
        if let size = element["fetchBatchSize"].flatMap({ Int($0) }) { template.fetchBatchSize = size }
        template.returnsDistinctResults = (element["returnDistinctResults"] ?? element["returnsDistinctResults"]) == "YES"
    }

    private func nonEmpty(_ text: String?) -> String? { text?.isEmpty == false ? text : nil }
}
