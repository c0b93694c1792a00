import StrataModel

extension DocumentTranslator {
    /// Returns a composite attribute with the elements of its definition; `nil` if the document has none.
    mutating func compositeAttribute(
        _ name: String, _ element: ModelDocument.Element, of entity: String, within prefix: String
    ) throws(ModelFileError) -> Attribute? {
        let path = "\(entity)/attribute \(prefix)\(name)"
        guard let (definitionName, definition) = definition(of: element) else {
            warn(.unsupported, path, element, "nothing says what the composite attribute is made of; the model is without it")
            return nil
        }
        guard openComposites.insert(definitionName).inserted else {
            throw ModelFileError(
                .inconsistent, element: path, line: element.line, reason: .illegalElement,
                "the composite attribute \(definitionName) contains itself")
        }
        defer { openComposites.remove(definitionName) }
        checkVocabulary(of: definition, "\(definition.name) \(definitionName)")
        var attribute = Attribute(name, .composite)
        attribute.isOptional = try flag("optional", of: element, path)
        attribute.isTransient = try flag("transient", of: element, path)
        attribute.preservesValueInHistoryOnDeletion = try flag("preserveAfterDeletion", of: element, path)
        attribute.renamingIdentifier = nonEmpty(element["elementID"])
        attribute.versionHashModifier = nonEmpty(element["versionHashModifier"])
        attribute.userInfo = try userInfo(of: element, path)
        for child in definition.children(named: "attribute") {
            // Nested definitions are expanded for each attribute: a small document may contain many.
            elementCount += 1
            guard elementCount <= limits.properties else {
                throw ModelFileError(
                    .limitExceeded, element: path, line: element.line,
                    "there are more than \(limits.properties) elements of composite attributes")
            }
            if let part = try self.attribute(child, of: entity, within: "\(prefix)\(name).") { attribute.elements.append(part) }
        }
        if attribute.elements.isEmpty {
            warn(.unsupported, path, element, "no element of the composite attribute is supported; the model is without it")
            return nil
        }
        return attribute
    }

    /// Returns the definition of a composite attribute, which `composite` names, or another of the element's attributes.
    private func definition(of element: ModelDocument.Element) -> (String, ModelDocument.Element)? {
        let others = element.attributes.filter { $0.name != "name" && $0.name != "elementID" }.map(\.value)
        for name in [element["composite"], element["elementName"]].compactMap(\.self) + others {
            if let definition = composites[name] { return (name, definition) }
        }
        return nil
    }
}
