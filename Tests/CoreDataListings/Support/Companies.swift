import CoreData

/// A company with three positions.
@MainActor
enum Companies {
    static func model(_ rule: NSDeleteRule) -> NSManagedObjectModel {
        let company = entity("Company", NSManagedObject.self, [attribute("name", .stringAttributeType)])
        let position = entity("Position", NSManagedObject.self, [attribute("name", .stringAttributeType)])
        relate(toMany("positions", rule), of: company, toOne("company"), of: position)
        return makeModel(company, position)
    }

    @discardableResult
    static func insert(into context: NSManagedObjectContext) throws -> (company: NSManagedObject, positions: [NSManagedObject]) {
        let company = NSEntityDescription.insertNewObject(forEntityName: "Company", into: context)
        company.setValue("A", forKey: "name")
        let positions = ["1", "2", "3"].map { name in
            let position = NSEntityDescription.insertNewObject(forEntityName: "Position", into: context)
            position.setValue(name, forKey: "name")
            position.setValue(company, forKey: "company")
            return position
        }
        try context.save()
        return (company, positions)
    }
}
