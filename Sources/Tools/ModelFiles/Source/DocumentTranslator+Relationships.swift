import StrataModel

extension DocumentTranslator {
    mutating func relationship(_ element: ModelDocument.Element, of entity: String) throws(ModelFileError) -> Relationship {
        let name = try required("name", of: element, entity)
        let path = "\(entity)/relationship \(name)"
        declarations.lines[path] = declarations.lines[path] ?? element.line
        checkVocabulary(of: element, path)
        let least = try count("minCount", of: element, path) ?? 0
        var most = try count("maxCount", of: element, path)
        // One destination at most is a to-one relationship, whatever the attribute.
        let isToMany = try flag("toMany", of: element, path) && most != 1
        let isOrdered = try flag("ordered", of: element, path)
        if !isToMany {
            if let most, most != 1 { warn(.leftOut, path, element, "a to-one relationship has no maxCount of \(most)") }
            most = 1
        }
        var relationship = Relationship(
            name, to: try required("destinationEntity", of: element, path), inverse: nonEmpty(element["inverseName"]),
            isToMany ? (isOrdered ? .ordered : .toMany) : .toOne, deleteRule: try deleteRule(of: element, path), minCount: least,
            maxCount: most)
        relationship.hasIgnoredOrder = isOrdered && !isToMany
        relationship.isOptional = try flag("optional", of: element, path)
        relationship.isTransient = try flag("transient", of: element, path)
        relationship.renamingIdentifier = nonEmpty(element["elementID"])
        relationship.versionHashModifier = nonEmpty(element["versionHashModifier"])
        relationship.userInfo = try userInfo(of: element, path)
        for name in ["spotlightIndexingEnabled", "storedInTruthFile"] where try flag(name, of: element, path) {
            warn(.unsupported, path, element, "\(name) has no meaning here")
        }
        return relationship
    }

    private func deleteRule(of element: ModelDocument.Element, _ path: String) throws(ModelFileError) -> DeleteRule {
        switch element["deletionRule"] {
        case nil, "", "Nullify": .nullify
        case "No Action": .noAction
        case "Cascade": .cascade
        case "Deny": .deny
        case let other?: throw invalid("deletionRule", other, of: element, path)
        }
    }

    // MARK: - Indexes

    /// Returns the index of an element; `nil` if the model has no such indexes.
    mutating func fetchIndex(_ element: ModelDocument.Element, of entity: String) throws(ModelFileError) -> FetchIndex? {
        let name = try required("name", of: element, entity)
        let path = "\(entity)/fetchIndex \(name)"
        declarations.lines[path] = declarations.lines[path] ?? element.line
        checkVocabulary(of: element, path)
        var index = FetchIndex(name)
        index.condition = nonEmpty(element["partialIndexPredicate"])
        for part in element.children(named: "fetchIndexElement") {
            let isAscending = part["order"]?.lowercased() != "descending"
            if part["type"]?.lowercased() == "rtree" {
                index.isLocation = true
            } else if let type = part["type"], type.lowercased() != "binary" {
                warn(.unsupported, path, part, "indexes of type \(type) are not supported; the index is left out")
                return nil
            }
            if let expression = nonEmpty(part["expression"]), part["property"] == nil {
                index.elements.append(.init(expression: expression, ascending: isAscending))
            } else {
                index.elements.append(.init(try required("property", of: part, path), ascending: isAscending))
            }
        }
        if index.elements.isEmpty {
            warn(.leftOut, path, element, "the index is over no property and is left out")
            return nil
        }
        return index
    }

    // MARK: - Requests

    mutating func fetchedProperty(_ element: ModelDocument.Element, of entity: String) throws(ModelFileError) -> FetchedProperty {
        let name = try required("name", of: element, entity)
        let path = "\(entity)/fetchedProperty \(name)"
        declarations.lines[path] = declarations.lines[path] ?? element.line
        checkVocabulary(of: element, path)
        guard let request = element.children(named: "fetchRequest").first else {
            throw ModelFileError(.missingAttribute, element: path, line: element.line, "the fetched property has no fetchRequest")
        }
        let template = try fetchTemplate(request["name"] ?? name, request, within: path)
        var property = FetchedProperty(name, to: template.entity, predicate: template.predicate, sort: [], limit: template.limit)
        property.userInfo = try userInfo(of: element, path)
        for lost in ["elementID", "versionHashModifier"] where nonEmpty(element[lost]) != nil {
            warn(.unsupported, path, element, "\(lost) has no meaning for a fetched property, of which nothing is stored")
        }
        return property
    }

    mutating func fetchTemplate(
        _ name: String, _ element: ModelDocument.Element, within owner: String? = nil
    ) throws(ModelFileError) -> FetchTemplate {
        let path = owner ?? "fetchRequest \(name)"
        declarations.lines[path] = declarations.lines[path] ?? element.line
        checkVocabulary(of: element, path)
        let limit = try count("fetchLimit", of: element, path) ?? 0
        guard limit >= 0 else { throw invalid("fetchLimit", String(limit), of: element, path) }
        var template = FetchTemplate(
            name, entity: try required("entity", of: element, path), predicate: nonEmpty(element["predicateString"]),
            limit: limit == 0 ? nil : limit)
        if owner == nil {
            template.includesSubentities = try flag("includeSubentities", of: element, path)
            for lost in ["resultType", "fetchBatchSize"] where try count(lost, of: element, path) ?? 0 != 0 {
                warn(.unsupported, path, element, "\(lost) is said by the request that is made of the template")
            }
        }
        return template
    }
}
