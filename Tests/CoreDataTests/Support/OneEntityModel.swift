import CoreData

/// A model of one entity.
enum OneEntityModel {
    static func make(_ name: String, _ attributeName: String, _ type: NSAttributeType) -> NSManagedObjectModel {
        make(name, properties: [PeopleModel.attribute(attributeName, type)])
    }

    static func make(
        _ name: String, properties: [NSPropertyDescription], uniquenessConstraints: [[Any]] = []
    ) -> NSManagedObjectModel {
        let entity = PeopleModel.entity(name)
        entity.properties = properties
        entity.uniquenessConstraints = uniquenessConstraints
        let model = NSManagedObjectModel()
        model.entities = [entity]
        return model
    }
}
