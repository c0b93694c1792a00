import StrataModel

/// Makes declarations from a document.
struct DocumentTranslator {
    var declarations = ModelDeclarations()
    var warnings = WarningList()
    let limits: ModelFileLimits
    /// The definitions of composite attributes, by name.
    var composites: [String: ModelDocument.Element] = [:]
    /// The names of the definitions that are being expanded.
    var openComposites: Set<String> = []
    /// The number of expanded elements: each attribute has its own.
    var elementCount = 0

    static func translate(
        _ document: ModelDocument, _ warnings: WarningList, limits: ModelFileLimits
    ) throws(ModelFileError) -> (ModelDeclarations, [ModelFileWarning]) {
        var translator = DocumentTranslator(warnings: warnings, limits: limits)
        try translator.translate(document.root)
        return try Reconciler.reconciled(translator.declarations, translator.warnings, limits)
    }

    private mutating func translate(_ model: ModelDocument.Element) throws(ModelFileError) {
        guard model.name == "model" else {
            throw ModelFileError(.notAModel, line: model.line, "the root element is \(model.name) and not model")
        }
        if let type = model["type"], type != "com.apple.IDECoreDataModeler.DataModel" {
            throw ModelFileError(.notAModel, element: "model", line: model.line, "the document is of type \(type)")
        }
        if let version = model["documentVersion"] {
            guard let number = Double(version) else { throw invalid("documentVersion", version, of: model, "model") }
            guard number < 2 else {
                throw ModelFileError(
                    .newerDocument, element: "model", line: model.line, "the document has version \(version), later than 1.0")
            }
        }
        checkVocabulary(of: model, "model")
        if try flag("usedWithCloudKit", of: model, "model") {
            warn(.unsupported, "model", model, "usedWithCloudKit has no meaning here")
        }
        declarations.versionIdentifiers = [model["userDefinedModelVersionIdentifier"]].compactMap(\.self).filter { !$0.isEmpty }
        for child in model.children where ["composite", "compositeAttribute"].contains(child.name) {
            let name = try required("name", of: child, child.name)
            guard composites.updateValue(child, forKey: name) == nil else {
                throw ModelFileError(
                    .inconsistent, element: "\(child.name) \(name)", line: child.line, reason: .duplicateName,
                    "two composite attributes have this name")
            }
        }
        for child in model.children {
            switch child.name {
            case "entity": try addEntity(child)
            case "configuration": try addConfiguration(child)
            case "fetchRequest":
                let name = try required("name", of: child, "fetchRequest")
                declarations.fetchTemplates.append(try fetchTemplate(name, child))
            default: break
            }
        }
    }

    private mutating func addConfiguration(_ element: ModelDocument.Element) throws(ModelFileError) {
        let name = try required("name", of: element, "configuration")
        let path = "configuration \(name)"
        checkVocabulary(of: element, path)
        declarations.lines[path] = element.line
        if try flag("usedWithCloudKit", of: element, path) { warn(.unsupported, path, element, "usedWithCloudKit has no meaning here") }
        var members: [String] = []
        for member in element.children(named: "memberEntity") { members.append(try required("name", of: member, path)) }
        declarations.configurations.append(EntityConfiguration(name, entities: members))
    }

    // MARK: - Entities

    private mutating func addEntity(_ element: ModelDocument.Element) throws(ModelFileError) {
        let name = try required("name", of: element, "entity")
        let path = "entity \(name)"
        guard declarations.entities.count < limits.entities else {
            throw ModelFileError(.limitExceeded, element: path, line: element.line, "there are more than \(limits.entities) entities")
        }
        checkVocabulary(of: element, path)
        declarations.lines[path] = declarations.lines[path] ?? element.line
        var entity = Entity(name, parent: nonEmpty(element["parentEntity"]), isAbstract: try flag("isAbstract", of: element, path))
        entity.renamingIdentifier = nonEmpty(element["elementID"])
        entity.versionHashModifier = nonEmpty(element["versionHashModifier"])
        entity.userInfo = try userInfo(of: element, path)
        if let className = nonEmpty(element["representedClassName"]) { declarations.classNames[name] = className }
        if nonEmpty(element["coreSpotlightDisplayNameExpression"]) != nil {
            warn(.unsupported, path, element, "the Spotlight expression coreSpotlightDisplayNameExpression has no meaning here")
        }
        var indexed: [String] = []
        entity.attributes.reserveCapacity(element.children.count)
        for child in element.children {
            switch child.name {
            case "attribute":
                guard let attribute = try attribute(child, of: path) else {
                    declarations.omitted[name, default: []].insert(child["name"] ?? "")
                    continue
                }
                entity.attributes.append(attribute)
                if try flag("indexed", of: child, path), !attribute.isTransient { indexed.append(attribute.name) }
            case "relationship": entity.relationships.append(try relationship(child, of: path))
            case "fetchedProperty": entity.fetchedProperties.append(try fetchedProperty(child, of: path))
            case "fetchIndex":
                if let index = try fetchIndex(child, of: path) { entity.indexes.append(index) }
            case "uniquenessConstraints":
                for constraint in child.children(named: "uniquenessConstraint") {
                    var unique = Unique()
                    for part in constraint.children(named: "constraint") { unique.attributes.append(try required("value", of: part, path)) }
                    entity.uniquenessConstraints.append(unique)
                }
            default: break
            }
        }
        for attribute in indexed { entity.addUnnamedIndex(over: [attribute]) }
        for compound in element.children(named: "compoundIndexes").flatMap({ $0.children(named: "compoundIndex") }) {
            var properties: [String] = []
            for index in compound.children(named: "index") { properties.append(try required("value", of: index, path)) }
            entity.addUnnamedIndex(over: properties)
        }
        declarations.entities.append(entity)
    }
}
