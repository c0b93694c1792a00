import StrataModel

/// All facts of a model as texts, for printing and for comparing two versions.
struct ModelFacts {
    struct Property {
        let name: String
        /// `attribute`, `relationship` or `fetched property`.
        let kind: String
        let facts: [String]
    }

    struct Entity {
        let name: String
        let facts: [String]
        let properties: [Property]
    }

    let entities: [Entity]
    /// Configurations, fetch requests and version identifiers.
    let others: [String]

    init(_ model: ManagedObjectModel) {
        entities = model.entities.map { entity in
            let attributes = entity.ownAttributes.map { Property(name: $0.name, kind: "attribute", facts: ModelFacts.facts($0)) }
            let relationships = entity.ownRelationships.map {
                Property(name: $0.name, kind: "relationship", facts: ModelFacts.facts($0))
            }
            let fetched = entity.ownFetchedProperties(in: model).map {
                Property(name: $0.name, kind: "fetched property", facts: ModelFacts.facts($0))
            }
            return Entity(
                name: entity.name, facts: ModelFacts.facts(entity, model), properties: attributes + relationships + fetched)
        }
        others = ModelFacts.others(model)
    }

    private static func facts(_ entity: EntityDescription, _ model: ManagedObjectModel) -> [String] {
        let inherited = entity.superentity.map { model.entities[$0].uniquenessConstraints.map(\.names) } ?? []
        var facts: [String] = []
        if let parent = entity.superentity { facts.append("parent \(model.entities[parent].name)") }
        if entity.isAbstract { facts.append("abstract") }
        if let name = entity.renamingIdentifier { facts.append("renamed from \(name)") }
        for constraint in entity.uniquenessConstraints where !inherited.contains(constraint.names) {
            facts.append("unique (\(constraint.names.joined(separator: ", ")))")
        }
        for index in entity.indexes {
            let elements = index.elements.map { entity.properties[$0.property].name + ($0.isAscending ? "" : " descending") }
            let kind = index.isLocation ? "location index" : "index"
            facts.append("\(kind) \(index.name) (\(elements.joined(separator: ", ")))\(index.condition.map { " where \($0)" } ?? "")")
        }
        for index in entity.expressionIndexes {
            let elements = index.elements.map { ($0.expression ?? $0.property) + ($0.isAscending ? "" : " descending") }
            facts.append("index \(index.name) (\(elements.joined(separator: ", ")))\(index.condition.map { " where \($0)" } ?? "")")
        }
        return facts + userInfo(entity.userInfo)
    }

    private static func facts(_ attribute: AttributeDescription) -> [String] {
        let declaration = attribute.declaration
        var facts = ["\(attribute.type)", attribute.isOptional ? "optional" : "required"]
        if attribute.isTransient { facts.append("transient") }
        if let expression = declaration.derivationExpression { facts.append("derived of \(expression)") }
        if !attribute.defaultValue.isNull { facts.append("default \(attribute.defaultValue)") }
        for rule in declaration.validation { facts.append(text(rule)) }
        if declaration.allowsExternalStorage { facts.append("external storage") }
        if declaration.preservesValueInHistoryOnDeletion { facts.append("preserved on deletion") }
        if let transformer = declaration.transformer { facts.append("transformer \(transformer.name)") }
        return facts + naming(declaration.renamingIdentifier, declaration.versionHashModifier) + userInfo(declaration.userInfo)
    }

    private static func facts(_ relationship: RelationshipDescription) -> [String] {
        let declaration = relationship.declaration
        let kind = relationship.isOrdered ? "ordered to-many" : relationship.isToMany ? "to-many" : "to-one"
        var facts = ["\(kind) \(declaration.destination)", relationship.isOptional ? "optional" : "required"]
        if let inverse = declaration.inverse { facts.append("inverse \(inverse)") }
        if relationship.isTransient { facts.append("transient") }
        facts.append("delete rule \(declaration.deleteRule)")
        if relationship.isToMany, declaration.minCount > 0 { facts.append("at least \(declaration.minCount)") }
        if relationship.isToMany, declaration.maxCount > 0 { facts.append("at most \(declaration.maxCount)") }
        return facts + naming(declaration.renamingIdentifier, declaration.versionHashModifier) + userInfo(declaration.userInfo)
    }

    private static func facts(_ property: FetchedProperty) -> [String] {
        var facts = ["of \(property.destination)"]
        if let predicate = property.predicate { facts.append("where \(predicate)") }
        if let limit = property.limit { facts.append("at most \(limit)") }
        return facts + userInfo(property.userInfo)
    }

    private static func others(_ model: ManagedObjectModel) -> [String] {
        var others = model.versionIdentifiers.map { "version identifier \($0)" }
        for name in model.configurations {
            let members = (model.entities(inConfiguration: name) ?? []).map { model.entities[$0].name }
            others.append("configuration \(name): \(members.joined(separator: ", "))")
        }
        for template in model.fetchTemplatesByName.values.sorted(by: { $0.name < $1.name }) {
            let condition = template.predicate.map { " where \($0)" } ?? ""
            let limit = template.limit.map { ", at most \($0)" } ?? ""
            others.append("fetch request \(template.name): \(template.entity)\(condition)\(limit)")
        }
        return others
    }

    // MARK: - Words

    private static func naming(_ renamed: String?, _ modifier: String?) -> [String] {
        [renamed.map { "renamed from \($0)" }, modifier.map { "hash modifier \($0)" }].compactMap(\.self)
    }

    private static func userInfo(_ info: [String: String]) -> [String] {
        info.sorted { $0.key < $1.key }.map { "user info \($0.key) = \($0.value)" }
    }

    private static func text(_ rule: ValidationRule) -> String {
        switch rule {
        case .range(let least, let most): "range \(bounds(least.map { "\($0)" }, most.map { "\($0)" }))"
        case .length(let least, let most): "length \(bounds(least.map(String.init), most.map(String.init)))"
        case .pattern(let pattern): "pattern \(pattern)"
        case .predicate(let format, let warning): "predicate \(format)\(warning.map { " (\($0))" } ?? "")"
        }
    }

    private static func bounds(_ least: String?, _ most: String?) -> String { "\(least ?? "")...\(most ?? "")" }
}

extension EntityDescription {
    var ownAttributes: [AttributeDescription] { attributes.filter { $0.declaringEntity == index } }
    /// The entity's own relationships, without hidden ones.
    var ownRelationships: [RelationshipDescription] { relationships.filter { $0.declaringEntity == index } }

    func ownFetchedProperties(in model: ManagedObjectModel) -> [FetchedProperty] {
        let inherited = Set(superentity.map { model.entities[$0].fetchedProperties.map(\.name) } ?? [])
        return fetchedProperties.filter { !inherited.contains($0.name) }
    }
}

extension AttributeDescription {
    /// The abbreviated type, with a question mark if it is optional.
    var shortType: String { "\(type)" + (isOptional ? "?" : "") }
}
