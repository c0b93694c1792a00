import CoreData

/// People in cities, with teams, in a store of their own.
struct CityStack {
    let container: NSPersistentContainer
    let context: NSManagedObjectContext

    init() {
        container = NSPersistentContainer(name: "Cities", managedObjectModel: CityStack.model())
        let description = NSPersistentStoreDescription()
        description.type = NSInMemoryStoreType
        container.persistentStoreDescriptions = [description]
        container.loadPersistentStores { _, error in if let error { fatalError("\(error)") } }
        context = container.newBackgroundContext()
    }

    private static func model() -> NSManagedObjectModel {
        let (person, team) = (NSEntityDescription(), NSEntityDescription())
        person.name = "Person"
        team.name = "Team"
        person.managedObjectClassName = NSStringFromClass(Citizen.self)
        let (members, its) = (NSRelationshipDescription(), NSRelationshipDescription())
        (members.name, members.destinationEntity, members.maxCount) = ("members", person, 0)
        (its.name, its.destinationEntity, its.maxCount) = ("team", team, 1)
        (members.inverseRelationship, its.inverseRelationship) = (its, members)
        person.properties = [
            attribute("name", .stringAttributeType), attribute("city", .stringAttributeType), attribute("age", .integer32AttributeType),
            attribute("isMember", .booleanAttributeType), its,
        ]
        team.properties = [attribute("title", .stringAttributeType), members]
        let model = NSManagedObjectModel()
        model.entities = [person, team]
        return model
    }

    private static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        (attribute.name, attribute.attributeType) = (name, type)
        return attribute
    }

    @discardableResult
    func add(_ name: String, _ city: String? = nil, age: Int = 0) -> Citizen {
        let person = Citizen(context: context)
        person.setValue(name, forKey: "name")
        person.setValue(city, forKey: "city")
        person.setValue(age, forKey: "age")
        return person
    }

    func request(_ keys: String..., where condition: NSPredicate? = nil) -> NSFetchRequest<Citizen> {
        let request = NSFetchRequest<Citizen>(entityName: "Person")
        request.sortDescriptors = keys.map { NSSortDescriptor(key: $0, ascending: true) }
        request.predicate = condition
        return request
    }

    func controller(_ request: NSFetchRequest<Citizen>, sections: String? = nil) throws -> NSFetchedResultsController<Citizen> {
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: sections, cacheName: nil)
        try controller.performFetch()
        return controller
    }
}

/// A person; answers for a key that the model does not have.
class Citizen: NSManagedObject {
    override func value(forUndefinedKey key: String) -> Any? {
        key == "initial" ? name.map { String($0.prefix(1)) } : super.value(forUndefinedKey: key)
    }
}

/// Writes down what it is told.
final class Recorder: NSObject, NSFetchedResultsControllerDelegate {
    var log: [String] = []
    var controllers: [NSFetchedResultsController<NSFetchRequestResult>] = []

    func controllerWillChangeContent(_ controller: NSFetchedResultsController<NSFetchRequestResult>) {
        log.append("will")
        controllers.append(controller)
    }

    func controller(
        _ controller: NSFetchedResultsController<NSFetchRequestResult>, didChange sectionInfo: any NSFetchedResultsSectionInfo,
        atSectionIndex sectionIndex: Int, for type: NSFetchedResultsChangeType
    ) { log.append("section \(type) \(sectionInfo.name) \(sectionIndex)") }

    func controller(
        _ controller: NSFetchedResultsController<NSFetchRequestResult>, didChange anObject: Any, at indexPath: IndexPath?,
        for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
        let paths = [indexPath, newIndexPath].map { $0.map { "\($0.section).\($0.item)" } ?? "-" }
        log.append("\(type) \((anObject as? Citizen)?.name ?? "?") \(paths.joined(separator: " "))")
    }

    func controllerDidChangeContent(_ controller: NSFetchedResultsController<NSFetchRequestResult>) { log.append("did") }
}
