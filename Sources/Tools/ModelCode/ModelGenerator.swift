import StrataModel
import StrataModelFiles
import StrataQuery

/// Generates the code of one version of a model.
struct ModelGenerator {
    private(set) var warnings: [ModelFileWarning] = []
    private(set) var files: [ModelCode.File] = []
    private(set) var wholeText = ""
    let declarations: ModelDeclarations
    let names: ClassNames
    let access: String
    private let document: ModelDocument
    private let modelName: String
    private let typeName: String
    private let options: ModelCode.Options
    let elements: [String: ModelDocument.Element]

    init(
        _ file: ModelFile, _ version: ModelFile.Version, name: String, options: ModelCode.Options
    ) throws(ModelFileError) {
        let document = try version.source()
        // Inconsistent declarations are detected when the model is made.
        _ = try file.model(version: version.name)
        declarations = try version.declarations()
        names = ClassNames(declarations.entities, classNames: declarations.classNames)
        access = options.isPublic ? "public " : ""
        modelName = name
        typeName = SwiftName.derived(name, "Model")
        self.document = document
        self.options = options
        elements = Dictionary(document.root.children(named: "entity").map { ($0["name"] ?? "", $0) }) { first, _ in first }
    }

    mutating func generate() throws(ModelFileError) {
        if let entity = names.nameless.first {
            throw error(entity, "\(declarations.classNames[entity.name] ?? "") is not the name of a class in Swift")
        }
        var whole = CodeLines()
        var owners: [String: String] = [:]
        var templateNames: Set<String> = []
        for entity in declarations.entities {
            guard let kind = try kind(of: entity), kind != .manual else { continue }
            guard let className = names.own(entity.name) else {
                warn(entity, "names no class, so that none is generated")
                continue
            }
            if let other = owners.updateValue(entity.name, forKey: className) {
                throw error(entity, "the class \(className) would be generated for the entity \(other) too")
            }
            var lines = CodeLines()
            if kind == .definition {
                guard SwiftName.isPlain(className.filter { $0 != "`" }) else {
                    throw error(entity, "a class \(className) cannot be generated: it is no name of a class at the top of a module")
                }
                if className == typeName { throw error(entity, "the class \(className) has the name of the declaration of the model") }
                lines.add("\(access)class \(className): \(names.superclass(of: entity.name)) {}")
                lines.add("")
            }
            try addProperties(of: entity, className, &lines, &templateNames)
            let suffix = kind == .definition ? "" : "+Properties"
            files.append(.init(name: fileName(className) + suffix + ".swift", text: text(lines, isModel: false)))
            whole.add(lines)
            whole.add("")
        }
        var model = CodeLines()
        try addModel(to: &model)
        files.append(.init(name: typeName + ".swift", text: text(model, isModel: true)))
        whole.add(model)
        wholeText = text(whole, isModel: true)
    }

    // MARK: - Entities

    private mutating func kind(of entity: Entity) throws(ModelFileError) -> CodeGenerationType? {
        let text = elements[entity.name]?["codeGenerationType"]
        guard let kind = CodeGenerationType(text) else {
            throw error(entity, "the code generation \"\(text ?? "")\" is not known")
        }
        return kind == .manual && options.includesManualEntities && names.own(entity.name) != nil ? .definition : kind
    }

    private mutating func addProperties(
        of entity: Entity, _ className: String, _ lines: inout CodeLines, _ templateNames: inout Set<String>
    ) throws(ModelFileError) {
        var members = CodeLines()
        for attribute in elements[entity.name]?.children(named: "attribute") ?? [] {
            guard let name = attribute["name"], !entity.attributes.contains(where: { $0.name == name }) else { continue }
            let text = "entity \(entity.name)/attribute \(name): the model is without it, and so is the class"
            members.add("#warning(\(SwiftName.literal(text)))")
        }
        for attribute in entity.attributes {
            try PropertyGenerator(self, entity, "attribute", attribute.name).add(attribute, to: &members)
        }
        for relationship in entity.relationships {
            try PropertyGenerator(self, entity, "relationship", relationship.name).add(relationship, to: &members)
        }
        for property in entity.fetchedProperties {
            try PropertyGenerator(self, entity, "fetchedProperty", property.name).add(property, to: &members)
        }
        for template in declarations.fetchTemplates where template.entity == entity.name {
            try addTemplate(template, of: entity, className, &members, &templateNames)
        }
        lines.add("extension \(className) {")
        lines.usesFoundation = lines.usesFoundation || members.usesFoundation
        for line in members.lines { lines.add(verbatim: line.isEmpty ? "" : "    " + line) }
        lines.add("}")
        // A property named as the objects' identity may have a type that cannot be one.
        let hasOddIdentity = entity.attributes.contains { $0.name == "id" && [.transformable, .undefined, .composite].contains($0.type) }
        if names.superclass(of: entity.name) == names.strata("ManagedObject"), !hasOddIdentity {
            lines.add("")
            lines.add("extension \(className): \(names.swift("Identifiable")) {}")
        }
    }

    private mutating func addTemplate(
        _ template: FetchTemplate, of entity: Entity, _ className: String, _ members: inout CodeLines, _ known: inout Set<String>
    ) throws(ModelFileError) {
        guard let name = SwiftName.identifier(SwiftName.uncapitalized(template.name)) else {
            throw error(entity, "no function can be named as the fetch request \(template.name)")
        }
        guard known.insert("\(className).\(name)").inserted else {
            throw error(entity, "two fetch requests would be functions \(name)")
        }
        var variables: [String] = []
        do {
            variables = try template.predicate.map { try QueryPredicate(format: $0).variables.sorted() } ?? []
        } catch let cause {
            warn(entity, "the condition of the fetch request \(template.name) cannot be read, and no function is generated: \(cause)")
            return
        }
        var parameters: [String] = []
        for variable in variables {
            guard let label = SwiftName.identifier(variable) else {
                throw error(entity, "the fetch request \(template.name) has a variable \(variable), which no parameter can be named")
            }
            parameters.append("\(label): any \(names.strata("QueryArgument"))")
        }
        parameters.append("in model: \(names.strata("ManagedObjectModel"))")
        let pairs = variables.map { "\(SwiftName.literal($0)): \(SwiftName.identifier($0) ?? $0)" }
        let substitution = pairs.isEmpty ? "[:]" : "[\(pairs.joined(separator: ", "))]"
        if !members.lines.isEmpty { members.add("") }
        members.add("/// The model's fetch request \(template.name)\(pairs.isEmpty ? "" : ", with values for its variables").")
        let result = "\(names.strata("ObjectFetchRequest"))<\(className)>"
        members.block("\(access)static func \(name)(\(parameters.joined(separator: ", "))) throws -> \(result)") { lines in
            let call = "model.fetchRequest(fromTemplate: \(SwiftName.literal(template.name)), substituting: \(substitution)"
            lines.add("try \(call), for: \(className).self)")
        }
    }

    // MARK: - The model

    private func addModel(to lines: inout CodeLines) throws(ModelFileError) {
        if names.isTaken(typeName) {
            throw ModelFileError(.noCode, element: "model", "an entity's class has the name \(typeName), that of the model's declaration")
        }
        var kept = document
        // The layout of the diagram is not part of the model.
        kept.root.children.removeAll { $0.name == "elements" }
        let (model, string, result) = (names.strata("ManagedObjectModel"), names.swift("String"), names.swift("Result"))
        let sharedType = "\(result)<\(model), any \(names.swift("Error"))>"
        var known: Set<String> = []
        let cases = declarations.entities.compactMap { entity -> String? in
            guard let written = declarations.classNames[entity.name], let type = names.own(entity.name), known.insert(written).inserted
            else { return nil }
            return "        case \(SwiftName.literal(written)): return \(type).self\n"
        }
        lines.add(
            verbatim: """
                /// The model \(modelName), with the classes of its entities.
                \(access)enum \(typeName) {
                    /// The model, made once; transformable attributes that name a transformer hold their bytes.
                    ///
                    /// - Throws: `ModelFileError`, which no model does that this code was generated from.
                    \(access)static func model() throws -> \(model) { try shared.get() }

                    /// A new copy of the model, with transformers for the attributes that name one.
                    ///
                    /// - Throws: `ModelFileError`, which no model does that this code was generated from.
                    \(access)static func model(transformers: (\(string)) -> \(names.strata("ValueTransformer"))?) throws -> \(model) {
                        try file().model(classes: objectClass(named:), transformers: transformers)
                    }

                    /// The model's file, of the version that the code was generated from.
                    ///
                    /// - Throws: `ModelFileError`, which no model does that this code was generated from.
                    \(access)static func file() throws -> ModelFile {
                        ModelFile(document: try ModelDocument(parsing: source.utf8))
                    }

                    /// The class of a name in the model's file; `nil` for any other.
                    \(access)static func objectClass(named name: \(string)) -> AnyClass? {
                        switch name {
                \(cases.joined())        default: return nil
                        }
                    }

                    private static let shared: \(sharedType) = \(result) { try model(transformers: { _ in nil }) }

                    private static let source = \(SwiftName.block(kept.xml, indentation: "        "))
                }
                """)
    }

    // MARK: - Files

    private func text(_ lines: CodeLines, isModel: Bool) -> String {
        let level = access
        var header = ["// Generated from the model \(modelName). What is changed here is lost when it is generated again.", ""]
        if lines.usesFoundation { header.append("\(level)import FoundationEssentials") }
        header.append("\(level)import Strata")
        if isModel { header.append("\(level)import StrataModelFiles") }
        return (header + [""] + lines.lines).joined(separator: "\n") + "\n"
    }

    private func fileName(_ className: String) -> String { className.filter { $0 != "`" && $0 != "/" } }

    // MARK: - Errors

    func error(_ entity: Entity, _ message: String) -> ModelFileError {
        ModelFileError(.noCode, element: "entity \(entity.name)", line: elements[entity.name]?.line, message)
    }

    private mutating func warn(_ entity: Entity, _ message: String) {
        warnings.append(
            ModelFileWarning(
                kind: .leftOut, version: nil, element: "entity \(entity.name)", line: elements[entity.name]?.line, message: message))
    }
}
