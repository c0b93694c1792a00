import FoundationEssentials
import StrataModel
import StrataText

extension DocumentTranslator {
    /// Returns the attribute of an element of the composite at `prefix`; `nil` if the model has no such attributes.
    mutating func attribute(
        _ element: ModelDocument.Element, of entity: String, within prefix: String = ""
    ) throws(ModelFileError) -> Attribute? {
        let name = try required("name", of: element, entity)
        let path = "\(entity)/attribute \(prefix)\(name)"
        declarations.lines[path] = declarations.lines[path] ?? element.line
        let isPlain = ModelVocabulary.isPlain(element)
        if !isPlain { checkVocabulary(of: element, path) }
        let typeName = element["attributeType"] ?? "Undefined"
        if typeName == "Composite" { return try compositeAttribute(name, element, of: entity, within: prefix) }
        guard let type = ModelVocabulary.types[typeName] else {
            guard typeName == "Object ID" else { throw invalid("attributeType", typeName, of: element, path) }
            warn(.unsupported, path, element, "attributes of type \(typeName) are not supported; the model is without it")
            return nil
        }
        var attribute = Attribute(name, type)
        attribute.isOptional = try flag("optional", of: element, path)
        attribute.defaultValue = defaultValue(of: element, type, path)
        if isPlain { return attribute }
        attribute.isTransient = try flag("transient", of: element, path)
        attribute.allowsExternalStorage = try flag("allowsExternalBinaryDataStorage", of: element, path)
        attribute.preservesValueInHistoryOnDeletion = try flag("preserveAfterDeletion", of: element, path)
        attribute.renamingIdentifier = nonEmpty(element["elementID"])
        attribute.versionHashModifier = nonEmpty(element["versionHashModifier"])
        attribute.userInfo = try userInfo(of: element, path)
        if let transformer = nonEmpty(element["valueTransformerName"]), type == .transformable {
            attribute.transformer = .named(transformer)
        }
        attribute.validation = try rules(of: element, type, path)
        attribute.derivationExpression = try derivation(of: element, attribute, path)
        for name in ["spotlightIndexingEnabled", "storedInTruthFile", "allowsCloudEncryption"] where try flag(name, of: element, path) {
            warn(.unsupported, path, element, "\(name) has no meaning here")
        }
        return attribute
    }

    /// Returns the derivation of the attribute; the store validates it when it is opened.
    private mutating func derivation(
        of element: ModelDocument.Element, _ attribute: Attribute, _ path: String
    ) throws(ModelFileError) -> String? {
        guard try flag("derived", of: element, path) else { return nil }
        guard let expression = nonEmpty(element["derivationExpression"]), !attribute.isTransient else {
            let reason = attribute.isTransient ? "no store keeps a transient attribute" : "nothing says what of"
            warn(.leftOut, path, element, "the attribute is not derived: \(reason)")
            return nil
        }
        return expression
    }

    private mutating func defaultValue(of element: ModelDocument.Element, _ type: AttributeType, _ path: String) -> Value? {
        if type == .date, let text = nonEmpty(element["defaultDateTimeInterval"]) {
            if let interval = Double(text), interval.isFinite { return .date(Date(timeIntervalSinceReferenceDate: interval)) }
            warn(.leftOut, path, element, "the default \"\(text)\" is no date and is left out")
            return nil
        }
        guard let text = element["defaultValueString"], !text.isEmpty || type == .string else { return nil }
        guard DocumentTranslator.isSpelled(type) else {
            warn(.leftOut, path, element, "an attribute of this type has no default; \"\(text)\" is left out")
            return nil
        }
        if let value = DocumentTranslator.value(text, of: type) { return value }
        guard let value = CompiledDefault.value(text, of: type) else {
            warn(.leftOut, path, element, "the default \"\(text)\" is no \(type) and is left out")
            return nil
        }
        warn(.questionable, path, element, "the default \"\(text)\" is no \(type) and is read as \(value), as Xcode compiles it")
        return value
    }

    private func date(
        _ name: String, _ text: String, of element: ModelDocument.Element, _ path: String
    ) throws(ModelFileError) -> Date {
        guard let interval = Double(text), interval.isFinite else { throw invalid(name, text, of: element, path) }
        return Date(timeIntervalSinceReferenceDate: interval)
    }

    private mutating func rules(
        of element: ModelDocument.Element, _ type: AttributeType, _ path: String
    ) throws(ModelFileError) -> [ValidationRule] {
        var rules: [ValidationRule] = []
        switch type {
        case .string, .binary:
            let (least, most) = (try count("minValueString", of: element, path), try count("maxValueString", of: element, path))
            if least != nil || most != nil { rules.append(.length(min: least, max: most)) }
        case _ where type.isNumeric || type == .date:
            let suffix = type == .date ? "DateTimeInterval" : "ValueString"
            let (least, most) = (try bound("min" + suffix, type, of: element, path), try bound("max" + suffix, type, of: element, path))
            if least != nil || most != nil { rules.append(.range(min: least, max: most)) }
        default:
            for name in ["minValueString", "maxValueString"] where nonEmpty(element[name]) != nil {
                warn(.leftOut, path, element, "an attribute of this type has no \(name); it is left out")
            }
        }
        if let pattern = nonEmpty(element["regularExpressionString"]) {
            do throws(PatternError) {
                guard type == .string else {
                    warn(.leftOut, path, element, "only text matches a pattern; \(pattern) is left out")
                    return rules
                }
                _ = try RegularExpression(pattern)
                rules.append(.pattern(pattern))
            } catch {
                warn(.leftOut, path, element, "\(pattern) is left out: \(error)")
            }
        }
        return rules
    }

    private func bound(
        _ name: String, _ type: AttributeType, of element: ModelDocument.Element, _ path: String
    ) throws(ModelFileError) -> Value? {
        guard let text = nonEmpty(element[name]) else { return nil }
        if type == .date { return .date(try date(name, text, of: element, path)) }
        // A bound may be out of the type's range, or between two of its values.
        let value = DocumentTranslator.value(text, of: type) ?? DocumentTranslator.value(text, of: .double)
        guard let bound = value, bound.equals(bound) else { throw invalid(name, text, of: element, path) }
        return bound
    }
}
