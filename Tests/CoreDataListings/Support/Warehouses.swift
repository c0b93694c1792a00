import CoreData

final class Warehouse: NSManagedObject {
    @NSManaged var name: String?
    @NSManaged var goods: NSOrderedSet?
}

final class Good: NSManagedObject {
    @NSManaged var name: String?
    @NSManaged var warehouse: Warehouse?
}

/// Warehouses, with their goods in order.
@MainActor
enum Warehouses {
    static let model: NSManagedObjectModel = {
        let warehouse = entity("Warehouse", Warehouse.self, [attribute("name", .stringAttributeType)])
        let good = entity("Good", Good.self, [attribute("name", .stringAttributeType)])
        relate(toMany("goods", .cascadeDeleteRule, isOrdered: true), of: warehouse, toOne("warehouse"), of: good)
        return makeModel(warehouse, good)
    }()
}
