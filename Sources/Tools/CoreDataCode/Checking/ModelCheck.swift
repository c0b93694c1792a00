import StrataModel
import StrataModelCode

/// Compares the declarations of classes with their model.
struct ModelCheck {
    private let models: [CoreDataModel]
    private let resolver: TypeResolver
    /// The properties of each class: those of its entities, also inherited ones.
    private let properties: [String: [String: [Property]]]

    init(_ models: [CoreDataModel], _ resolver: TypeResolver) {
        self.models = models
        self.resolver = resolver
        var properties: [String: [String: [Property]]] = [:]
        for model in models {
            for (path, entities) in model.entitiesOfClasses {
                var found = properties[path] ?? [:]
                for entity in entities.flatMap(model.lineage) {
                    for attribute in entity.attributes { found[attribute.name, default: []].append(.attribute(attribute)) }
                    for relationship in entity.relationships {
                        found[relationship.name, default: []].append(.relationship(relationship, model))
                    }
                    for property in entity.fetchedProperties { found[property.name, default: []].append(.fetched) }
                }
                properties[path] = found
            }
        }
        self.properties = properties
    }

    private enum Property {
        case attribute(Attribute)
        case relationship(Relationship, CoreDataModel)
        case fetched

        var phrase: String {
            switch self {
            case .attribute(let attribute): "an attribute of the type \(AttributeFit.name(attribute.type))"
            case .relationship(let relationship, _):
                switch relationship.cardinality {
                case .toOne: "a relationship to one \(relationship.destination)"
                case .toMany: "a relationship to many \(relationship.destination)"
                case .ordered: "an ordered relationship to many \(relationship.destination)"
                }
            case .fetched: "a fetched property"
            }
        }
    }

    func propertyNames(of owner: NominalName) -> [String] { properties[owner.path]?.keys.sorted() ?? [] }

    /// Returns the mismatch of a member; `nil` for none, and for classes without a model.
    func warning(_ member: ManagedMember) -> SourceWarning? {
        guard case .property(let type) = member.kind, let properties = properties[member.owner.path] else { return nil }
        let name = member.key
        guard let matches = properties[name] else {
            if name.hasPrefix("primitive"), properties.keys.contains(where: { SwiftName.capitalized($0) == name.dropFirst(9) }) {
                return nil
            }
            let entity = models.flatMap { $0.entities(ofClass: member.owner.path) }.map(\.name).joined(separator: ", ")
            return SourceWarning(
                member.declaration.location, "the model has no property '\(name)' in the entity \(entity) of '\(member.owner.path)'")
        }
        guard !matches.contains(where: { fits($0, type) }), let first = matches.first else { return nil }
        let written = type.code(in: member.owner.module) { _ in false }
        return SourceWarning(
            member.declaration.location, "'\(written)' does not fit '\(name)', which is \(first.phrase) in the model")
    }

    private func fits(_ property: Property, _ type: ResolvedType) -> Bool {
        let type = type.unwrapped
        if case .existential = type { return true }
        if type.nominalName == NominalName("Foundation", "NSObject", .class) { return true }
        switch property {
        case .attribute(let attribute): return AttributeFit.fits(attribute.type, type, isDeclared: resolver.isDeclared)
        case .fetched: return type.element != nil || type.nominalName?.path == "NSArray"
        case .relationship(let relationship, let model):
            switch relationship.cardinality {
            case .toOne: return isClass(type, of: relationship.destination, model)
            case .toMany: return isCollection(type, ["NSSet", "NSMutableSet", "Set"], of: relationship.destination, model)
            case .ordered: return isCollection(type, ["NSOrderedSet", "NSMutableOrderedSet", "Array"], of: relationship.destination, model)
            }
        }
    }

    private func isCollection(_ type: ResolvedType, _ names: [String], of destination: String, _ model: CoreDataModel) -> Bool {
        guard let name = type.nominalName, names.contains(name.path), ["Swift", "Foundation"].contains(name.module) else { return false }
        return type.element.map { isClass($0, of: destination, model) } ?? true
    }

    /// Returns whether a class is that of an entity's objects, or a superclass; true for classes unknown to the model.
    private func isClass(_ type: ResolvedType, of destination: String, _ model: CoreDataModel) -> Bool {
        guard let name = type.nominalName else {
            if case .existential = type { return true }
            return false
        }
        guard name.kind == .class, name.module != "Foundation" else { return false }
        let owners = model.entities(ofClass: name.path)
        guard !owners.isEmpty, let entity = model.entity(destination) else { return true }
        let lineage = Set(model.lineage(entity).map(\.name))
        return owners.contains { lineage.contains($0.name) }
    }
}
