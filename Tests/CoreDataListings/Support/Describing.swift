import CoreData

/// An entity whose objects are of a class.
func entity(_ name: String, _ objectClass: NSManagedObject.Type, _ properties: [NSPropertyDescription]) -> NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = name
    entity.managedObjectClassName = NSStringFromClass(objectClass)
    entity.properties = properties
    return entity
}

func attribute(
    _ name: String, _ type: NSAttributeType, isOptional: Bool = true, default defaultValue: Any? = nil
) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.isOptional = isOptional
    attribute.defaultValue = defaultValue
    return attribute
}

func toOne(_ name: String) -> NSRelationshipDescription {
    let relationship = NSRelationshipDescription()
    relationship.name = name
    relationship.minCount = 0
    relationship.maxCount = 1
    relationship.deleteRule = .nullifyDeleteRule
    return relationship
}

func toMany(_ name: String, _ deleteRule: NSDeleteRule = .nullifyDeleteRule, isOrdered: Bool = false) -> NSRelationshipDescription {
    let relationship = NSRelationshipDescription()
    relationship.name = name
    relationship.minCount = 0
    relationship.maxCount = 0
    relationship.deleteRule = deleteRule
    relationship.isOrdered = isOrdered
    return relationship
}

/// Adds two relationships to their entities, as each other's inverses.
func relate(
    _ first: NSRelationshipDescription, of source: NSEntityDescription, _ second: NSRelationshipDescription,
    of destination: NSEntityDescription
) {
    first.destinationEntity = destination
    second.destinationEntity = source
    source.properties.append(first)
    destination.properties.append(second)
    first.inverseRelationship = second
    second.inverseRelationship = first
}

func makeModel(_ entities: NSEntityDescription...) -> NSManagedObjectModel {
    let model = NSManagedObjectModel()
    model.entities = entities
    return model
}
