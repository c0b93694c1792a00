import CoreData

/// A model of one entity with one attribute.
enum OneEntityModel {
    static func make(_ name: String, _ attributeName: String, _ type: NSAttributeType) -> NSManagedObjectModel {
        let attribute = NSAttributeDescription()
        attribute.name = attributeName
        attribute.attributeType = type
        let entity = NSEntityDescription()
        entity.name = name
        entity.properties = [attribute]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        return model
    }
}
