import StrataModel
import StrataQuery

extension ModelArchiver {
    /// Bits of the key `_P`; the lowest and the highest are set in every property.
    enum Flag {
        static let own: Int64 = 1
        static let optional: Int64 = 2
        static let readOnly: Int64 = 4
        static let transient: Int64 = 8
        static let withoutPredicates: Int64 = 16
        static let withoutWarnings: Int64 = 32
        static let withoutUserInfo: Int64 = 64
        static let withoutModifier: Int64 = 128
        static let ordered: Int64 = 1024
    }

    /// Defines the description that an entity has of a property.
    mutating func define(_ property: Property, _ object: Object, of entity: EntityDescription) throws(UnknownForm) {
        switch property {
        case .attribute(let attribute): try define(attribute, object, of: entity)
        case .relationship(let relationship): try define(relationship, object, of: entity)
        case .fetched(let fetched): try define(fetched, object, of: entity)
        }
    }

    /// Returns the fields of any property.
    mutating func common(
        _ name: String, of entity: EntityDescription, renaming: String? = nil, flags: Int64, _ info: [String: String]
    ) throws(UnknownForm) -> [String: Object] {
        var flags = flags | Flag.own | Flag.withoutPredicates | Flag.withoutWarnings | Flag.withoutModifier
        var fields = [
            "NSPropertyName": archiver.text(name), "NSEntity": try reference(of: entity.name),
            "NSRenamingIdentifier": archiver.text(renaming ?? name),
        ]
        if flags & Flag.optional != 0 { fields["NSIsOptional"] = .bool(true) }
        if flags & Flag.readOnly != 0 { fields["NSIsReadOnly"] = .bool(true) }
        if flags & Flag.transient != 0 { fields["NSIsTransient"] = .bool(true) }
        if info.isEmpty { flags |= Flag.withoutUserInfo } else { fields["NSUserInfo"] = userInfo(info) }
        fields["_P"] = .int(flags)
        return fields
    }

    private mutating func setModifier(_ modifier: String?, _ fields: inout [String: Object]) {
        guard let modifier else { return }
        fields["NSVersionHashModifier"] = archiver.text(modifier)
        clear(Flag.withoutModifier, &fields)
    }

    private func clear(_ flags: Int64, _ fields: inout [String: Object]) {
        if case .int(let set)? = fields["_P"] { fields["_P"] = .int(set & ~flags) }
    }

    // MARK: - Attributes

    private mutating func define(
        _ attribute: Attribute, _ object: Object, of entity: EntityDescription
    ) throws(UnknownForm) {
        let isDerived = attribute.derivationExpression != nil
        let flags =
            (attribute.isOptional ? Flag.optional : 0) | (isDerived ? Flag.readOnly : 0) | (attribute.isTransient ? Flag.transient : 0)
        var fields = try common(
            attribute.name, of: entity, renaming: attribute.renamingIdentifier, flags: flags, attribute.userInfo)
        setModifier(attribute.versionHashModifier, &fields)
        fields["NSAttributeType"] = .int(Int64(attribute.type.rawValue))
        fields["NSAttributeValueClassName"] = archiver.text(ModelArchiver.className(of: attribute.type))
        fields["NSDefaultValue"] = try defaultValue(of: attribute)
        fields["NSValueTransformerName"] = archiver.text(attribute.type == .transformable ? attribute.transformer?.name : nil)
        fields["NSFlagsKey"] = .int((attribute.allowsExternalStorage ? 4 : 0) | (attribute.preservesValueInHistoryOnDeletion ? 16 : 0))
        let indexes = ([entity.name] + entity.superentityNames).flatMap { declarations[$0]?.indexes ?? [] }
        if indexes.contains(where: { !$0.isLocation && $0.elements == [.init(attribute.name)] }) { fields["NSIsIndexed"] = .bool(true) }
        try addRules(of: attribute, &fields)
        if attribute.type == .composite {
            var elements: [Object] = []
            for element in attribute.elements {
                // One within another was not seen.
                guard element.type != .composite else { throw UnknownForm() }
                let reference = archiver.reserve()
                try define(element, reference, of: entity)
                elements.append(reference)
            }
            fields["NSCompositeElements"] = archiver.list(elements, "NSMutableArray")
            archiver.define(object, "NSCompositeAttributeDescription", fields)
            return
        }
        guard let expression = attribute.derivationExpression else {
            archiver.define(object, "NSAttributeDescription", fields)
            return
        }
        fields["NSDerivationExpression"] = try archiver.add(derivation: expression)
        fields["NSFilteringPredicate"] = ModelArchiver.null
        archiver.define(object, "NSDerivedAttributeDescription", fields)
    }

    private mutating func defaultValue(of attribute: Attribute) throws(UnknownForm) -> Object {
        guard let value = attribute.defaultValue, value != .null else { return ModelArchiver.null }
        // That of a transformable attribute is an object of a class that is not known.
        guard attribute.type != .transformable, let fitting = attribute.type.coerce(value), let reference = archiver.add(fitting) else {
            throw UnknownForm()
        }
        return reference
    }

    private static func className(of type: AttributeType) -> String? {
        switch type {
        case .integer16, .integer32, .integer64, .double, .float, .boolean: "NSNumber"
        case .decimal: "NSDecimalNumber"
        case .string: "NSString"
        case .date: "NSDate"
        case .binary: "NSData"
        case .uuid: "NSUUID"
        case .uri: "NSURL"
        case .composite: "NSDictionary"
        case .undefined, .transformable: nil
        }
    }

    /// Adds the validation rules: conditions, and beside each the number of its error or its message.
    private mutating func addRules(of attribute: Attribute, _ fields: inout [String: Object]) throws(UnknownForm) {
        var conditions: [(text: Object, warning: Object)] = []
        /// Adds a lower bound and an upper one, with the numbers of their errors.
        func add(_ left: QueryExpression, _ lower: (Value?, Int64), _ upper: (Value?, Int64)) throws(UnknownForm) {
            for (bound, number, isLower) in [(lower.0, lower.1, true), (upper.0, upper.1, false)] {
                guard let bound else { continue }
                conditions.append((try archiver.add(bound: bound, of: left, isLower: isLower), error(number)))
            }
        }
        let isDate = attribute.type == .date
        for rule in attribute.validation {
            switch rule {
            case .length(let min, let max):
                try add(.keyPath("length"), (min.map { .int(Int64($0)) }, 1670), (max.map { .int(Int64($0)) }, 1660))
            case .range(let min, let max): try add(.evaluatedObject, (min, isDate ? 1640 : 1620), (max, isDate ? 1630 : 1610))
            case .predicate(let text, let warning):
                guard attribute.type == .string else { throw UnknownForm() }
                conditions.append((try archiver.add(condition: text), warning.map { archiver.text($0) } ?? error(1550)))
            case .pattern: throw UnknownForm()
            }
        }
        if conditions.isEmpty { return }
        fields["NSValidationPredicates"] = archiver.list(conditions.map(\.text))
        fields["NSValidationWarnings"] = archiver.list(conditions.map(\.warning))
        clear(Flag.withoutPredicates | Flag.withoutWarnings, &fields)
    }

    private mutating func error(_ number: Int64) -> Object { archiver.add(plain: .int(number)) }

    // MARK: - Relationships

    private mutating func define(_ relationship: Relationship, _ object: Object, of entity: EntityDescription) throws(UnknownForm) {
        let isOrdered = relationship.cardinality == .ordered || relationship.hasIgnoredOrder
        let flags =
            (relationship.isOptional ? Flag.optional : 0) | (relationship.isTransient ? Flag.transient : 0) | (isOrdered ? Flag.ordered : 0)
        var fields = try common(
            relationship.name, of: entity, renaming: relationship.renamingIdentifier, flags: flags, relationship.userInfo)
        setModifier(relationship.versionHashModifier, &fields)
        if isOrdered { fields["NSIsOrdered"] = .bool(true) }
        let inverse = relationship.inverse ?? relationship.unmatchedInverse
        fields["NSDestinationEntity"] = try reference(of: relationship.destination)
        fields["_NSDestinationEntityName"] = archiver.text(relationship.destination)
        fields["NSInverseRelationship"] = inverse.flatMap { reference(of: $0, in: relationship.destination) } ?? ModelArchiver.null
        fields["_NSInverseRelationshipName"] = archiver.text(inverse)
        fields["NSMinCount"] = .int(Int64(relationship.minCount))
        fields["NSMaxCount"] = .int(Int64(relationship.maxCount))
        fields["NSDeleteRule"] = .int(Int64(relationship.deleteRule.rawValue))
        archiver.define(object, "NSRelationshipDescription", fields)
    }
}
