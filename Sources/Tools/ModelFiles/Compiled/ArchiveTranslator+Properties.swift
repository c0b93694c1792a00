import StrataModel
import StrataText

extension ArchiveTranslator {
    /// The bit of an attribute's flags for external storage.
    private static let externalFlag = 4
    /// The bit for preservation in tombstones.
    private static let preservedFlag = 16

    /// Returns the attribute of an archive; `nil` if the model has no such attributes.
    mutating func attribute(_ name: String, _ object: KeyedArchive.Object, _ path: String) throws(ModelFileError) -> Attribute? {
        let isComposite = object.className == "NSCompositeAttributeDescription"
        let number = object.int("NSAttributeType") ?? 0
        guard let type = isComposite ? .composite : AttributeType(rawValue: number), isComposite || type != .composite else {
            warn(.unsupported, path, "attributes of type \(number) are not supported; the model is without it")
            return nil
        }
        var attribute = Attribute(name, type)
        attribute.isOptional = object.flag("NSIsOptional")
        attribute.isTransient = object.flag("NSIsTransient")
        attribute.renamingIdentifier = renaming(object, name)
        attribute.versionHashModifier = object.string("NSVersionHashModifier")
        attribute.userInfo = userInfo(object)
        if isComposite { return try composite(attribute, object, path) }
        if let transformer = object.string("NSValueTransformerName"), !transformer.isEmpty, type == .transformable {
            attribute.transformer = .named(transformer)
        }
        if object.value("NSDefaultValue") != nil {
            if let value = object.constant("NSDefaultValue").flatMap({ type.coerce($0) }), type != .undefined {
                attribute.defaultValue = value
            } else {
                warn(.leftOut, path, "the default is no value of the attribute's type and is left out")
            }
        }
        attribute.validation = rules(object, type, path)
        if object.className == "NSDerivedAttributeDescription" { attribute.derivationExpression = derivation(object, path) }
        let flags = object.int("NSFlagsKey") ?? 0
        attribute.preservesValueInHistoryOnDeletion = flags & Self.preservedFlag != 0
        attribute.allowsExternalStorage = flags & Self.externalFlag != 0
        let others = flags & ~(Self.preservedFlag | Self.externalFlag)
        if others != 0 { warn(.unsupported, path, "the meaning of the flags \(others) is not known") }
        if object.flag("NSIndexedBySpotlight") { warn(.unsupported, path, "Spotlight has no meaning here") }
        return attribute
    }

    mutating func relationship(_ name: String, _ object: KeyedArchive.Object, _ path: String) throws(ModelFileError) -> Relationship {
        guard
            let destination = object.string("_NSDestinationEntityName")
                ?? object.object("NSDestinationEntity")?.string("NSEntityName")
        else { throw ModelFileError(.malformedArchive, element: path, "the relationship has no destination") }
        let most = object.int("NSMaxCount") ?? 0
        guard let rule = DeleteRule(rawValue: object.int("NSDeleteRule") ?? 0) else {
            throw ModelFileError(.invalidValue, element: path, "there is no delete rule of the number \(object.int("NSDeleteRule") ?? 0)")
        }
        let inverse = object.string("_NSInverseRelationshipName") ?? object.object("NSInverseRelationship")?.string("NSPropertyName")
        var relationship = Relationship(
            name, to: destination, inverse: inverse.flatMap { $0.isEmpty ? nil : $0 },
            most == 1 ? .toOne : object.flag("NSIsOrdered") ? .ordered : .toMany, deleteRule: rule, minCount: object.int("NSMinCount") ?? 0,
            maxCount: most)
        relationship.hasIgnoredOrder = most == 1 && object.flag("NSIsOrdered")
        relationship.isOptional = object.flag("NSIsOptional")
        relationship.isTransient = object.flag("NSIsTransient")
        relationship.renamingIdentifier = renaming(object, name)
        relationship.versionHashModifier = object.string("NSVersionHashModifier")
        relationship.userInfo = userInfo(object)
        return relationship
    }

    // MARK: - Rules

    /// Returns the rules of validation predicates: comparisons of the value or its length, patterns, and other conditions on a text.
    private mutating func rules(_ object: KeyedArchive.Object, _ type: AttributeType, _ path: String) -> [ValidationRule] {
        var (length, range): ((Int?, Int?), (Value?, Value?)) = ((nil, nil), (nil, nil))
        var (patterns, others): ([ValidationRule], [ValidationRule]) = ([], [])
        let warnings = object.list("NSValidationWarnings")
        for (number, predicate) in object.objects("NSValidationPredicates").enumerated() {
            let comparison = predicate.object("NSPredicateOperator")?.int("NSOperatorType")
            let left = predicate.object("NSLeftExpression")
            let constant = predicate.object("NSRightExpression")?.constant("NSConstantValue")
            let isLength = left.flatMap(keyPath) == "length"
            switch (comparison, constant) {
            case (3?, .int(let number)?) where isLength && (type == .string || type == .binary): length.0 = Int(exactly: number)
            case (1?, .int(let number)?) where isLength && (type == .string || type == .binary): length.1 = Int(exactly: number)
            case (3?, let value?) where left?.className == "NSSelfExpression" && (type.isNumeric || type == .date): range.0 = value
            case (1?, let value?) where left?.className == "NSSelfExpression" && (type.isNumeric || type == .date): range.1 = value
            case (6?, .string(let pattern)?) where type == .string && (try? RegularExpression(pattern)) != nil:
                patterns.append(.pattern(pattern))
            default:
                guard type == .string, let text = condition(predicate, path, otherwise: "the validation predicate is left out") else {
                    if type != .string { warn(.leftOut, path, "a validation predicate is no length, range or pattern and is left out") }
                    continue
                }
                let warning = warnings.indices.contains(number) ? object.string(of: warnings[number]) : nil
                others.append(.predicate(text, warning: warning))
            }
        }
        var rules = patterns + others
        if range.0 != nil || range.1 != nil { rules.insert(.range(min: range.0, max: range.1), at: 0) }
        if length.0 != nil || length.1 != nil { rules.insert(.length(min: length.0, max: length.1), at: 0) }
        return rules
    }

    private func keyPath(_ expression: KeyedArchive.Object) -> String? {
        expression.string("NSKeyPath") ?? expression.objects("NSArguments").first?.string("NSKeyPath")
    }
}
