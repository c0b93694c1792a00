import FoundationEssentials
import StrataModel

struct MappingFileEntity {
    fileprivate struct Property {
        let name: String
        let expression: String?
        /// The path of a relationship's mapping, and the mapping of its destinations.
        let path: String?
        let mapping: String?
        let element: String
        let line: Int?
    }

    let name: String?
    let number: Int
    let source: String?
    let destination: String?
    let policy: String?
    let element: String
    let line: Int?
    private let condition: String?
    private let userInfo: [String: String]
    private let properties: [Property]

    init(_ object: MappingFileObjects.Object, _ objects: MappingFileObjects, limits: ModelFileLimits) throws(ModelFileError) {
        name = object.text("name")
        number = object.text("mappingnumber").flatMap { Int($0) } ?? 0
        source = object.text("sourcename")
        destination = object.text("destinationname")
        policy = object.text("migrationpolicyclassname")
        condition = object.text("sourcefilterpredicatestring")
        line = object.line
        let element = "mapping " + (name ?? [source, destination].compactMap(\.self).joined(separator: "To"))
        self.element = element
        if condition == nil, !object.flag("autogenerateexpression"), object.text("sourceexpressiondata") != nil {
            throw ModelFileError(
                .unsupportedExpression, element: element, line: line,
                "it has an expression of its own for the objects of the source; a condition can be read, and a fetch cannot")
        }
        userInfo = try MappingFileEntity.archive(object, "userinfodata", element, limits)?.userInfo() ?? [:]
        var properties: [Property] = []
        for (kind, type) in [
            ("attributemappings", "XDDEVATTRIBUTEMAPPING"), ("relationshipmappings", "XDDEVRELATIONSHIPMAPPING"),
        ] {
            for property in try objects.objects(object, kind, of: type) {
                guard let name = property.text("name") else {
                    throw ModelFileError(.missingAttribute, element: element, line: property.line, "a property mapping has no name")
                }
                let propertyPath = "\(element)/\(name)"
                var expression: String?
                if let archive = try MappingFileEntity.archive(property, "valueexpressiondata", propertyPath, limits) {
                    do throws(ModelFileError) { expression = try archive.expressionText(limits: limits) } catch {
                        throw ModelFileError(error.code, element: propertyPath, line: property.line, error.message)
                    }
                }
                properties.append(
                    Property(
                        name: name, expression: expression, path: property.text("sourcekeypath"),
                        mapping: property.text("sourcemappingname"), element: propertyPath, line: property.line))
            }
        }
        self.properties = properties
    }

    private static func archive(
        _ object: MappingFileObjects.Object, _ name: String, _ element: String, _ limits: ModelFileLimits
    ) throws(ModelFileError) -> KeyedArchive? {
        guard let text = object.text(name) else { return nil }
        guard let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters) else {
            throw ModelFileError(.malformedArchive, element: element, line: object.line, "\(name) is not in base64")
        }
        do throws(ModelFileError) { return try KeyedArchive(Array(data), limits: limits) } catch {
            throw ModelFileError(error.code, element: element, line: object.line, error.message)
        }
    }

    // MARK: - Mapping

    func mapping(
        _ model: ManagedObjectModel, _ target: ManagedObjectModel, warn: (ModelFileWarning) -> Void
    ) throws(ModelFileError) -> EntityMapping {
        let entity = source.flatMap { model.entity(named: $0) }
        if let source, entity == nil { throw unknown("the source has no entity \(source)", element, line) }
        let made = destination.flatMap { target.entity(named: $0) }
        if let destination, made == nil { throw unknown("the destination has no entity \(destination)", element, line) }
        var mappings: [PropertyMapping] = []
        for property in properties {
            guard let wanted = made?.property(named: property.name) else {
                throw unknown(
                    "the destination's entity \(destination ?? "") has no property \(property.name)", property.element, property.line)
            }
            let mapping = property.mapping(wanted, entity)
            if let policy, let old = mapping.source.flatMap({ entity?.attribute(named: $0)?.type }), let new = wanted.attribute?.type,
                !old.isLossless(to: new)
            {
                warn(
                    ModelFileWarning(
                        kind: .questionable, version: nil, element: property.element, line: property.line,
                        message: "nothing converts it from \(old) to \(new) but the policy \(policy), before which it has its default"))
                mappings.append(PropertyMapping(property.name, origin: .defaultValue))
            } else {
                mappings.append(mapping)
            }
        }
        return EntityMapping(name, from: source, to: destination, where: condition, policy: policy, userInfo: userInfo) { mappings }
    }

    private func unknown(_ message: String, _ element: String, _ line: Int?) -> ModelFileError {
        ModelFileError(.inconsistent, element: element, line: line, message)
    }
}

extension MappingFileEntity.Property {
    func mapping(_ wanted: PropertyDescription, _ entity: EntityDescription?) -> PropertyMapping {
        if let expression { return PropertyMapping(name, expression) }
        if wanted.relationship != nil, path != nil || mapping != nil {
            let path = path.map { $0.hasPrefix("$") ? $0 : "$source.\($0)" } ?? "$source.\(name)"
            if let mapping { return PropertyMapping(name, path, mappedBy: mapping) }
            return PropertyMapping(
                name, "FUNCTION($manager, \"destinationInstancesForSourceRelationshipNamed:sourceInstances:\", \"\(name)\", \(path))")
        }
        let before = entity?.property(named: name)
        let isSameKind = before.map { ($0.relationship == nil) == (wanted.relationship == nil) } ?? false
        return PropertyMapping(name, origin: isSameKind ? .property(name) : .defaultValue)
    }
}
