import StrataModel
import StrataQuery
import StrataText

extension NSManagedObjectModel {
    /// Returns the model of some entities, with the configurations and templates of this one, in Strata's terms.
    ///
    /// - Parameter findsClasses: Whether the entities' classes are looked up, which only objects need.
    /// - Throws: An `NSError` with Core Data's code if they are invalid.
    final func declared(_ entities: [NSEntityDescription], findsClasses: Bool) throws -> ManagedObjectModel {
        do {
            return try ManagedObjectModel(
                entities: try entities.map { description in
                    var entity = try description.declaration()
                    guard findsClasses else { return entity }
                    let objectClass = try ManagedClasses.objectClass(named: description.managedObjectClassName, of: entity.name)
                    NamedMembers.note(objectClass, of: description)
                    entity.objectClass = objectClass
                    return entity
                },
                configurations: entitiesByConfiguration.sortedByKey().map { name, members in
                    EntityConfiguration(name, entities: members.compactMap(\.name))
                },
                // A template with a block is for objects in memory only.
                fetchTemplates: templates.sortedByKey().compactMap { try? $0.value.template(named: $0.key) },
                versionIdentifiers: versionIdentifiers.map { "\($0.base)" }.sorted())
        } catch {
            throw cocoaError(error)
        }
    }
}

extension NSFetchRequest {
    /// Returns the request as a template in Strata's terms; `nil` without entity; throws for a predicate without a text.
    func template(named name: String) throws -> FetchTemplate? {
        guard let entityName else { return nil }
        var template = FetchTemplate(
            name, entity: entityName, predicate: try templatePredicate(), sort: try templateOrder(),
            limit: fetchLimit > 0 ? fetchLimit : nil, offset: fetchOffset)
        template.includesSubentities = includesSubentities
        return template
    }

    func templatePredicate() throws -> String? { try predicate.map { try $0.tree().predicateFormat } }

    func templateOrder() throws -> [SortElement] {
        try (sortDescriptors ?? []).map { descriptor in
            let sort = try descriptor.querySort()
            return SortElement(sort.keyPath, ascending: sort.ascending)
        }
    }
}

extension NSEntityDescription {
    /// Returns the entity's own declaration in Strata's terms, without its class; throws for unsupported entities.
    final func declaration() throws -> Entity {
        guard let name, !name.isEmpty else { throw ModelError(.illegalName, entity: "", "an entity has no name") }
        var entity = Entity(name, parent: superentity?.name, isAbstract: isAbstract)
        entity.renamingIdentifier = formerName
        entity.versionHashModifier = versionHashModifier
        entity.userInfo = StoredInfo.texts(of: userInfo)
        for property in ownProperties {
            do {
                switch property {
                case let attribute as NSAttributeDescription: entity.attributes.append(try attribute.declaration())
                case let relationship as NSRelationshipDescription:
                    entity.relationships.append(try relationship.declaration(of: name))
                case let fetched as NSFetchedPropertyDescription: entity.fetchedProperties.append(try fetched.declaration())
                default: throw ModelError(.undefinedType, entity: name, "an entity has attributes, relationships and fetched properties")
                }
            } catch let error as ModelError {
                throw ModelError(error.reason, entity: name, property: error.property ?? property.name, error.message)
            }
        }
        // An empty one is ignored, as by Core Data.
        for constraint in try uniquenessConstraints.filter({ !$0.isEmpty }).map({ Unique(try $0.map { try constrainedName($0, in: name) }) }
        ) {
            if constraint.attributes.contains(where: { relationshipsByName[$0] != nil }) {
                entity.unenforcedConstraints.append(constraint)
            } else {
                entity.uniquenessConstraints.append(constraint)
            }
        }
        entity.indexes = try indexes.map { try $0.declaration(in: name) }
        for property in ownProperties where property.hasOwnIndex && !property.isTransient {
            let index = FetchIndex("by\(property.name.prefix(1).uppercased())\(property.name.dropFirst())Index", on: .init(property.name))
            if !entity.indexes.contains(where: { $0.name == index.name || $0.elements == index.elements }) { entity.indexes.append(index) }
        }
        return entity
    }

    private func constrainedName(_ member: Any, in entity: String) throws(ModelError) -> String {
        if let name = member as? String { return name }
        if let property = member as? NSPropertyDescription { return property.name }
        throw ModelError(.unknownProperty, entity: entity, "a uniqueness constraint is over names or descriptions of attributes")
    }

    /// Returns whether two entities have equal declarations, except for their classes.
    final func declares(theSameAs other: NSEntityDescription) -> Bool {
        guard let mine = encodedDeclaration, let others = other.encodedDeclaration else { return false }
        return mine == others
    }

    private var encodedDeclaration: Data? {
        guard var entity = try? declaration() else { return nil }
        entity.attributes.sort { $0.name < $1.name }
        entity.relationships.sort { $0.name < $1.name }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try? encoder.encode(entity)
    }

    /// Returns a model in Strata's terms of the entity and of all that it references.
    final func declaredAlone() throws -> ManagedObjectModel {
        if let model { return try model.declared() }
        var found: [NSEntityDescription] = []
        var waiting = [self]
        var seen: Set<ObjectIdentifier> = []
        while let entity = waiting.popLast() {
            guard seen.insert(ObjectIdentifier(entity)).inserted else { continue }
            found.append(entity)
            waiting += entity.subentities + [entity.superentity].compactMap(\.self)
            waiting += entity.ownProperties.compactMap { ($0 as? NSRelationshipDescription)?.destinationEntity }
        }
        return try ManagedObjectModel(entities: try found.map { try $0.declaration() })
    }
}

/// The user info of entities and properties, which in Strata's models consists of texts.
enum StoredInfo {
    static func texts(of info: [AnyHashable: Any]?) -> [String: String] {
        var texts: [String: String] = [:]
        for (key, value) in info ?? [:] { texts["\(key.base)"] = "\(value)" }
        return texts
    }
}
