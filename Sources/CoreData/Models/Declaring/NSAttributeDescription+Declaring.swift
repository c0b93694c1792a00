import StrataModel
import StrataQuery

extension NSAttributeDescription {
    /// Returns the attribute in Strata's terms; throws for unsupported attributes, and untranslatable expressions.
    final func declaration() throws -> Attribute {
        guard let type = attributeType.strataType else {
            throw ModelError(.undefinedType, entity: "", property: name, "no store keeps attributes of the type \(attributeType)")
        }
        var attribute = Attribute(name, type)
        attribute.isOptional = isOptional
        attribute.isTransient = isTransient
        attribute.renamingIdentifier = formerName
        attribute.versionHashModifier = versionHashModifier
        attribute.userInfo = StoredInfo.texts(of: userInfo)
        attribute.allowsExternalStorage = allowsExternalBinaryDataStorage
        attribute.preservesValueInHistoryOnDeletion = preservesValueInHistoryOnDeletion
        if type == .transformable { attribute.transformer = strataTransformer(named: valueTransformerName) }
        if let defaultValue {
            guard let value = DefaultValue.value(defaultValue, of: attribute) else {
                throw ModelError(.wrongType, entity: "", property: name, "the default \(defaultValue) is no \(type)")
            }
            attribute.defaultValue = value
        }
        attribute.validation = try ValidationRules.rules(of: self, type)
        if let derived = self as? NSDerivedAttributeDescription {
            attribute.derivationExpression = try derived.derivationExpression.map { try $0.tree().description } ?? ""
        }
        if let composite = self as? NSCompositeAttributeDescription {
            attribute.elements = try composite.elements.map { try $0.declaration() }
        }
        return attribute
    }
}

/// Default values, in Foundation's types and in Strata's.
enum DefaultValue {
    /// Returns the value of an object; `nil` if it does not have the attribute's type.
    static func value(_ object: Any, of attribute: Attribute) -> Value? {
        switch attribute.type {
        case .boolean: return (object as? NSNumber).map { .bool($0.boolValue) }
        case .integer16, .integer32, .integer64:
            guard let number = object as? NSNumber else { return nil }
            let isWhole = number.doubleValue == number.doubleValue.rounded()
            return attribute.type.coerce(isWhole ? .int(number.int64Value) : .double(number.doubleValue))
        case .double, .float: return (object as? NSNumber).map { .double($0.doubleValue) }
        case .decimal:
            if let decimal = object as? Decimal { return .decimal(decimal) }
            return (object as? NSNumber).map { .decimal($0.decimalValue) }
        case .string: return (object as? String).map { .string($0) }
        case .date: return (object as? Date).map { .date($0) }
        case .binary: return (object as? Data).map { .data($0) }
        case .uuid: return (object as? UUID).map { .uuid($0) } ?? (object as? String).flatMap { attribute.type.coerce(.string($0)) }
        case .uri: return (object as? URL).map { .url($0) } ?? (object as? String).flatMap { attribute.type.coerce(.string($0)) }
        case .transformable: return ((try? attribute.transformer?.data(from: object)) ?? object as? Data).map { .data($0) }
        case .undefined, .composite: return nil
        }
    }

    /// Returns the object of a value: numbers as `NSNumber` and `NSDecimalNumber`, the rest as Swift's types.
    static func object(_ value: Value, of attribute: Attribute) -> Any? {
        if case .data(let data) = value, let transformer = attribute.transformer { return (try? transformer.value(from: data)) ?? data }
        return Boxing.boxed(value, attribute.type)
    }
}

extension NSRelationshipDescription {
    final func declaration(of entity: String) throws(ModelError) -> Relationship {
        guard let destination = destinationEntity?.name else {
            throw ModelError(.unknownDestination, entity: entity, property: name, "the relationship has no destination entity")
        }
        var relationship = Relationship(
            name, to: destination, inverse: inverseRelationship?.name, isToMany ? (isOrdered ? .ordered : .toMany) : .toOne,
            deleteRule: DeleteRule(rawValue: Int(deleteRule.rawValue)) ?? .nullify, minCount: minCount, maxCount: maxCount)
        relationship.unmatchedInverse = relationship.inverse == nil ? unmatchedInverse : nil
        relationship.hasIgnoredOrder = isOrdered && !isToMany
        relationship.isOptional = isOptional
        relationship.isTransient = isTransient
        relationship.renamingIdentifier = formerName
        relationship.versionHashModifier = versionHashModifier
        relationship.userInfo = StoredInfo.texts(of: userInfo)
        return relationship
    }
}

extension NSFetchedPropertyDescription {
    /// Returns the fetched property in Strata's terms; throws without request, or for a predicate without a text.
    final func declaration() throws -> FetchedProperty {
        guard let fetchRequest, let destination = fetchRequest.entityName else {
            throw ModelError(.unknownDestination, entity: "", property: name, "the fetched property has no request of an entity")
        }
        var property = FetchedProperty(
            name, to: destination, predicate: try fetchRequest.templatePredicate(), sort: try fetchRequest.templateOrder(),
            limit: fetchRequest.fetchLimit > 0 ? fetchRequest.fetchLimit : nil)
        property.userInfo = StoredInfo.texts(of: userInfo)
        return property
    }
}

extension NSFetchIndexDescription {
    /// Returns the index in Strata's terms; throws for an element without property, and for untranslatable expressions.
    final func declaration(in entity: String) throws -> FetchIndex {
        var index = FetchIndex(name)
        index.isLocation = elements.contains { $0.collationType == .rTree }
        index.condition = try partialIndexPredicate.map { try $0.tree().predicateFormat }
        index.elements = try elements.map { element in
            if let described = element.property as? NSExpressionDescription, let expression = described.expression {
                return .init(expression: try expression.tree().description, ascending: element.isAscending)
            }
            guard let property = element.propertyName else {
                throw ModelError(.unknownProperty, entity: entity, property: name, "an element of the index is over nothing")
            }
            return .init(property, ascending: element.isAscending)
        }
        return index
    }
}
