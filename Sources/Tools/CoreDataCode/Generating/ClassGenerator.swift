import StrataModel
import StrataModelCode
import StrataModelFiles

/// Generates the classes of a model's entities as Xcode does, but without what needs Objective-C.
///
/// Properties with known types have `@NSManaged`, so that their accessors are generated like those of hand-written
/// classes; the others call the accessors' functions.
struct ClassGenerator {
    let model: CoreDataModel
    /// The classes that the module itself declares.
    let declared: Set<String>
    private(set) var warnings: [ModelFileWarning] = []
    /// The declared classes and their properties with `@NSManaged`, as a source file of the module.
    private(set) var declarations: [String] = []

    mutating func generate(_ parts: inout CodeParts) throws(ModelFileError) {
        var owners: [String: String] = [:]
        for entity in model.declarations.entities {
            let written = model.element(entity.name)?["codeGenerationType"]
            guard let kind = CodeGenerationType(written) else {
                throw error(entity, nil, "the code generation \"\(written ?? "")\" is not known")
            }
            guard kind != .manual else { continue }
            guard let path = model.className(of: entity.name) else {
                warn(entity, "names no class, so that none is generated")
                continue
            }
            let name = try className(path, entity)
            if let other = owners.updateValue(entity.name, forKey: name) {
                throw error(entity, nil, "the class \(name) would be generated for the entity \(other) too")
            }
            var lines = CodeLines()
            if kind == .definition {
                guard path.count == 1 else {
                    throw error(
                        entity, nil,
                        "the class \(name) cannot be declared outside of the type that it is in; its code generation can be Category")
                }
                let declaration = "public class \(name): \(try superclass(of: entity)) {"
                declarations.append(declaration + "}")
                lines.add("")
                lines.add(declaration)
                lines.add("}")
            }
            let isKnown = kind == .definition || declared.contains(path.joined(separator: "."))
            try addProperties(of: entity, name, isKnown: isKnown, &lines, &parts[name])
            parts[name].classes.add(lines)
        }
    }

    private func className(_ parts: [String], _ entity: Entity) throws(ModelFileError) -> String {
        let identifiers = parts.compactMap(SwiftName.identifier)
        guard identifiers.count == parts.count else {
            throw error(entity, nil, "\(parts.joined(separator: ".")) is not the name of a class in Swift")
        }
        return identifiers.joined(separator: ".")
    }

    /// Returns the class of an entity's objects: its own, or the nearest ancestor's.
    private func objects(of name: String) throws(ModelFileError) -> String {
        guard let entity = model.entity(name) else { return "NSManagedObject" }
        for ancestor in model.lineage(entity) {
            if let parts = model.className(of: ancestor.name) { return try className(parts, ancestor) }
        }
        return "NSManagedObject"
    }

    private func superclass(of entity: Entity) throws(ModelFileError) -> String { try entity.parent.map(objects) ?? "NSManagedObject" }

    // MARK: - Members

    /// - Parameter isKnown: Whether the module declares the class, so that accessors can be generated.
    private mutating func addProperties(
        of entity: Entity, _ name: String, isKnown: Bool, _ lines: inout CodeLines, _ part: inout CodePart
    ) throws(ModelFileError) {
        var properties = CodeLines()
        var managed: [String] = []
        var functions = CodeLines()
        func add(_ property: String, _ type: PropertyType, isManaged: Bool) throws(ModelFileError) {
            let declaration = "public var \(try identifier(property, entity)): \(type.text)"
            if isManaged {
                managed.append("@NSManaged " + declaration)
                properties.add("@NSManaged " + declaration)
            } else {
                let key = KeyNames.Key(owner: name, name: property)
                let (getter, setter) = (type.getter(key, &part), type.setter("newValue", key, &part))
                properties.block(declaration) { lines in
                    lines.add("get { \(getter) }")
                    lines.add("set { \(setter) }")
                }
            }
            properties.add("")
        }
        for attribute in entity.attributes {
            let element = model.element(entity.name, attribute.name)
            let type: PropertyType
            do throws(ModelFileError) { type = try PropertyType.type(attribute, element) } catch {
                throw self.error(entity, attribute.name, error.message)
            }
            // A transformable attribute may have any class.
            try add(attribute.name, type, isManaged: isKnown && attribute.type != .transformable)
        }
        for relationship in entity.relationships {
            let destination = try objects(of: relationship.destination)
            let isToMany = relationship.cardinality != .toOne
            try add(relationship.name, PropertyType.type(relationship, destination: destination), isManaged: isKnown && isToMany)
            if isToMany { addFunctions(of: relationship, destination, name, &part, to: &functions) }
        }
        for property in entity.fetchedProperties {
            let type = PropertyType(.any, "[\(try objects(of: property.destination))]")
            let getter = type.getter(KeyNames.Key(owner: name, name: property.name), &part)
            properties.add("public var \(try identifier(property.name, entity)): \(type.text) { \(getter) }")
            properties.add("")
        }
        if !managed.isEmpty { declarations += ["extension \(name) {"] + managed + ["}"] }
        lines.add("")
        lines.block("extension \(name)") { lines in
            lines.add("@nonobjc public class func fetchRequest() -> NSFetchRequest<\(name)> {")
            lines.add("    return NSFetchRequest<\(name)>(entityName: \(SwiftName.literal(entity.name)))")
            lines.add("}")
            for line in properties.lines.isEmpty ? [] : [""] + properties.lines.dropLast() { lines.add(line) }
        }
        lines.add(functions)
        if try superclass(of: entity) == "NSManagedObject" {
            lines.add("")
            lines.add("extension \(name): Identifiable {")
            lines.add("}")
        }
    }

    private func addFunctions(
        of relationship: Relationship, _ destination: String, _ className: String, _ part: inout CodePart, to lines: inout CodeLines
    ) {
        let name = SwiftName.capitalized(relationship.name)
        let property = KeyNames.Key(owner: className, name: relationship.name)
        let isOrdered = relationship.cardinality == .ordered
        let set = isOrdered ? "NSOrderedSet" : "NSSet"
        var functions: [(String, String)] = []
        if isOrdered {
            let key = part.key(property)
            functions += [
                ("insertInto\(name)(_ value: \(destination), at idx: Int)", "_insertManagedMember(\(key), value, at: idx, of: self)"),
                ("removeFrom\(name)(at idx: Int)", "_removeManagedMember(\(key), at: idx, of: self)"),
                (
                    "insertInto\(name)(_ values: [\(destination)], at indexes: NSIndexSet)",
                    "_insertManagedMembers(\(key), values, at: indexes, of: self)"
                ),
                ("removeFrom\(name)(at indexes: NSIndexSet)", "_removeManagedMembers(\(key), at: indexes, of: self)"),
                (
                    "replace\(name)(at idx: Int, with value: \(destination))",
                    "_replaceManagedMember(\(key), at: idx, with: value, of: self)"
                ),
                (
                    "replace\(name)(at indexes: NSIndexSet, with values: [\(destination)])",
                    "_replaceManagedMembers(\(key), at: indexes, with: values, of: self)"
                ),
            ]
        }
        let calls = [("Member", "NSManagedObject", "value"), ("Members", set, "values")].map { members, type, value in
            ["add", "remove"].map { part.setter("_\($0)Managed\(members)", type, value, property) }
        }
        functions += [
            ("addTo\(name)(_ value: \(destination))", calls[0][0]), ("removeFrom\(name)(_ value: \(destination))", calls[0][1]),
            ("addTo\(name)(_ values: \(set))", calls[1][0]), ("removeFrom\(name)(_ values: \(set))", calls[1][1]),
        ]
        lines.add("")
        lines.add("// MARK: Generated accessors for \(relationship.name)")
        lines.block("extension \(className)") { lines in
            for (index, (declaration, call)) in functions.enumerated() {
                if index > 0 { lines.add("") }
                lines.add("public func \(declaration) { \(call) }")
            }
        }
    }

    private func identifier(_ name: String, _ entity: Entity) throws(ModelFileError) -> String {
        if SwiftName.reserved.contains(name) {
            throw error(entity, name, "managed objects have a member of this name, so that no property can have it")
        }
        guard let identifier = SwiftName.identifier(name) else { throw error(entity, name, "no property in Swift can have this name") }
        return identifier
    }

    // MARK: - Errors

    private func error(_ entity: Entity, _ property: String?, _ message: String) -> ModelFileError {
        let element = property.flatMap { model.element(entity.name, $0) } ?? model.element(entity.name)
        let description = "entity \(entity.name)" + (property.map { "/\(element?.name ?? "property") \($0)" } ?? "")
        return ModelFileError(.noCode, element: description, line: element?.line, message).at(model.path)
    }

    private mutating func warn(_ entity: Entity, _ message: String) {
        warnings.append(
            ModelFileWarning(
                kind: .leftOut, version: nil, element: "entity \(entity.name)", line: model.element(entity.name)?.line, message: message))
    }
}
