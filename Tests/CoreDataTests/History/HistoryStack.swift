import CoreData

/// Coordinators over one SQLite store with a history, of a model of cars, sport cars and drivers.
struct HistoryStack {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("strata-history-\(UUID().uuidString)")
    let model: NSManagedObjectModel
    var url: URL { folder.appendingPathComponent("Cars.sqlite") }

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let (car, sportCar, driver) = (PeopleModel.entity("Car"), PeopleModel.entity("SportCar"), PeopleModel.entity("Driver"))
        let plate = PeopleModel.attribute("plate", .stringAttributeType)
        plate.preservesValueInHistoryOnDeletion = true
        let bought = PeopleModel.attribute("bought", .dateAttributeType)
        bought.preservesValueInHistoryOnDeletion = true
        let owner = PeopleModel.relationship("owner", to: driver, maxCount: 1)
        let cars = PeopleModel.relationship("cars", to: car, maxCount: 0)
        owner.inverseRelationship = cars
        cars.inverseRelationship = owner
        car.properties = [plate, bought, PeopleModel.attribute("maker", .stringAttributeType), owner]
        sportCar.properties = [PeopleModel.attribute("power", .integer32AttributeType)]
        car.subentities = [sportCar]
        driver.properties = [PeopleModel.attribute("name", .stringAttributeType), cars]
        model = NSManagedObjectModel()
        model.entities = [car, sportCar, driver]
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }

    /// A context of a coordinator of its own.
    func context(_ author: String?, name: String? = nil, _ options: [AnyHashable: Any] = [:]) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let all = [NSPersistentHistoryTrackingKey: NSNumber(value: true) as Any].merging(options) { $1 }
        try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: all)
        let context = MemoryStack.context(of: coordinator)
        context.transactionAuthor = author
        context.name = name
        return context
    }
}

extension NSManagedObjectContext {
    /// Inserts an object with some values.
    @discardableResult
    func addObject(_ entity: String, _ values: [String: Any]) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: self)
        for (key, value) in values { object.setValue(value, forKey: key) }
        return object
    }

    /// The transactions of a request.
    func transactions(_ request: NSPersistentHistoryChangeRequest) throws -> [NSPersistentHistoryTransaction] {
        try result(request, [NSPersistentHistoryTransaction].self)
    }

    /// The changes of a request, alone.
    func changes(_ request: NSPersistentHistoryChangeRequest) throws -> [NSPersistentHistoryChange] {
        request.resultType = .changesOnly
        return try result(request, [NSPersistentHistoryChange].self)
    }

    func result<T>(_ request: NSPersistentHistoryChangeRequest, _ type: T.Type) throws -> T {
        guard let result = try execute(request) as? NSPersistentHistoryResult, let typed = result.result as? T else {
            throw CocoaError(.keyValueValidation)
        }
        return typed
    }

    var historyToken: NSPersistentHistoryToken? { persistentStoreCoordinator?.currentPersistentHistoryToken(fromStores: nil) }
}
