import Foundation
import StrataModel
import StrataQuery

extension NSRelationshipDescription {
    final func declaration(of entity: String) throws(ModelError) -> Relationship {
        guard let destination = destinationEntity?.name else {
            throw ModelError(.unknownDestination, entity: entity, property: name, "the relationship has no destination entity")
        }
        var relationship = Relationship(
            name, to: destination, inverse: inverseRelationship?.name, isToMany ? (isOrdered ? .ordered : .toMany) : .toOne,
            deleteRule: DeleteRule(rawValue: Int(deleteRule.rawValue)) ?? .nullify, minCount: minCount, maxCount: maxCount)
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
