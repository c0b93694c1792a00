import StrataModel
import StrataModelFiles

/// Generates the key, the accessor and the functions of one property.
struct PropertyGenerator {
    private let names: ClassNames
    private let access: String
    private let element: ModelDocument.Element?
    private let path: String
    /// The name in the model.
    private let name: String
    /// The name in code.
    private let identifier: String

    /// - Parameter kind: The name of the property's element.
    init(_ generator: ModelGenerator, _ entity: Entity, _ kind: String, _ name: String) throws(ModelFileError) {
        names = generator.names
        access = generator.access
        element = generator.elements[entity.name]?.children.first { $0.name == kind && $0["name"] == name }
        self.name = name
        path = "entity \(entity.name)/\(element?.name ?? "property") \(name)"
        if SwiftName.reserved.contains(name) {
            throw ModelFileError(
                .noCode, element: path, line: element?.line, "managed objects have a member of this name, so that no property can have it")
        }
        guard let identifier = SwiftName.identifier(name) else {
            throw ModelFileError(.noCode, element: path, line: element?.line, "no property in Swift can have this name")
        }
        self.identifier = identifier
    }

    func add(_ attribute: Attribute, to lines: inout CodeLines) throws(ModelFileError) {
        let code: AttributeCode
        do throws(ModelFileError) { code = try AttributeCode(attribute, element, key: identifier, names) } catch {
            throw ModelFileError(.noCode, element: path, line: error.line, error.message)
        }
        if code.usesFoundation { lines.usesFoundation = true }
        addKey("Key", of: code.keyType, to: &lines)
        addAccessor(code.propertyType, getter: code.getter, setter: attribute.derivationExpression == nil ? code.setter : nil, to: &lines)
    }

    func add(_ property: FetchedProperty, to lines: inout CodeLines) {
        let destination = names.objects(of: property.destination)
        addKey("Fetched", of: destination, to: &lines)
        lines.add("\(access)var \(identifier): [\(destination)] { self[Self.\(identifier)] }")
    }

    func add(_ relationship: Relationship, to lines: inout CodeLines) {
        let destination = names.objects(of: relationship.destination)
        let plain = "self[Self.\(identifier)]"
        switch relationship.cardinality {
        case .toOne:
            addKey("ToOne", of: destination, to: &lines)
            addAccessor(destination + "?", getter: plain, setter: plain + " = newValue", to: &lines)
        case .toMany:
            addKey("ToMany", of: destination, to: &lines)
            addAccessor("\(names.swift("Set"))<\(destination)>", getter: plain, setter: plain + " = newValue", to: &lines)
            addMembership(destination, collection: "\(names.swift("Set"))<\(destination)>", to: &lines)
        case .ordered:
            addKey("ToManyOrdered", of: destination, to: &lines)
            addAccessor("[\(destination)]", getter: plain, setter: plain + " = newValue", to: &lines)
            addMembership(destination, collection: "[\(destination)]", to: &lines)
            addElementAccess(destination, to: &lines)
        }
    }

    // MARK: - Parts

    private func addKey(_ kind: String, of type: String, to lines: inout CodeLines) {
        if !lines.lines.isEmpty { lines.add("") }
        lines.add("\(access)static let \(identifier) = \(names.strata(kind))<\(type)>(\(SwiftName.literal(name)))")
    }

    /// - Parameter setter: The code of the setter; `nil` for a read-only property.
    private func addAccessor(_ type: String, getter: String, setter: String?, to lines: inout CodeLines) {
        guard let setter else { return lines.add("\(access)var \(identifier): \(type) { \(getter) }") }
        lines.block("\(access)var \(identifier): \(type)") { lines in
            lines.add("get { \(getter) }")
            lines.add("set { \(setter) }")
        }
    }

    private var capitalized: String { SwiftName.capitalized(name) }

    private func function(_ prefix: String) -> String { SwiftName.identifier(prefix + capitalized) ?? prefix }

    private func addMembership(_ destination: String, collection: String, to lines: inout CodeLines) {
        let (add, remove) = (function("addTo"), function("removeFrom"))
        lines.add("\(access)func \(add)(_ value: \(destination)) { add(value, to: Self.\(identifier)) }")
        lines.add("\(access)func \(remove)(_ value: \(destination)) { remove(value, from: Self.\(identifier)) }")
        lines.add("\(access)func \(add)(_ values: \(collection)) { for value in values { \(add)(value) } }")
        lines.add("\(access)func \(remove)(_ values: \(collection)) { for value in values { \(remove)(value) } }")
    }

    private func addElementAccess(_ destination: String, to lines: inout CodeLines) {
        let int = names.swift("Int")
        let key = "Self.\(identifier)"
        lines.block("\(access)func \(function("insertInto"))(_ value: \(destination), at idx: \(int))") { lines in
            lines.add("add(value, to: \(key), at: idx)")
        }
        lines.add("\(access)func \(function("removeFrom"))(at idx: \(int)) { self[\(key)].remove(at: idx) }")
        lines.block("\(access)func \(function("replace"))(at idx: \(int), with value: \(destination))") { lines in
            lines.add("self[\(key)][idx] = value")
        }
    }
}
