import CoreData
import Foundation
import Testing

@Suite("L0-m: derived attributes") @MainActor
struct L0mDerived {
    private static func derived(_ name: String, _ type: NSAttributeType, _ format: String) -> NSDerivedAttributeDescription {
        let attribute = NSDerivedAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = true
        attribute.derivationExpression = NSExpression(format: format)
        return attribute
    }

    private static let model: NSManagedObjectModel = {
        let company = entity(
            "Company", NSManagedObject.self,
            [
                attribute("id", .stringAttributeType),
                derived("positionCount", .integer32AttributeType, "positions.@count"),
                derived("people", .integer32AttributeType, "positions.personCount.@sum"),
            ])
        let position = entity(
            "Position", NSManagedObject.self,
            [
                attribute("name", .stringAttributeType), attribute("personCount", .integer32AttributeType, default: 0),
                derived("companyID", .stringAttributeType, "company.id"), derived("upper", .stringAttributeType, "uppercase:(name)"),
                derived("lower", .stringAttributeType, "lowercase:(name)"),
                derived("plain", .stringAttributeType, "canonical:(name)"), derived("saved", .dateAttributeType, "now()"),
            ])
        relate(toMany("positions"), of: company, toOne("company"), of: position)
        return makeModel(company, position)
    }()

    @Test("They are there after a save and a refresh")
    func values() throws {
        let stack = try Stack(Self.model)
        let company = NSEntityDescription.insertNewObject(forEntityName: "Company", into: stack.context)
        company.setValue("A", forKey: "id")
        let positions = [("Élève", 2), ("Chef", 3)].map { name, count in
            let position = NSEntityDescription.insertNewObject(forEntityName: "Position", into: stack.context)
            position.setValue(name, forKey: "name")
            position.setValue(count, forKey: "personCount")
            position.setValue(company, forKey: "company")
            return position
        }
        let start = Date()
        try stack.context.save()
        stack.context.refreshAllObjects()
        #expect(company.value(forKey: "positionCount") as? Int == 2)
        #expect(company.value(forKey: "people") as? Int == 5)
        #expect(positions.map { $0.value(forKey: "companyID") as? String } == ["A", "A"])
        #expect(positions.map { $0.value(forKey: "upper") as? String } == ["ÉLÈVE", "CHEF"])
        #expect(positions.map { $0.value(forKey: "lower") as? String } == ["élève", "chef"])
        #expect(positions.map { $0.value(forKey: "plain") as? String } == ["eleve", "chef"])
        let saved = try #require(positions[0].value(forKey: "saved") as? Date)
        #expect(saved > start - 2)
        #expect(saved < Date() + 2)

        stack.context.delete(positions[1])
        positions[0].setValue(7, forKey: "personCount")
        try stack.context.save()
        stack.context.refreshAllObjects()
        #expect(company.value(forKey: "positionCount") as? Int == 1)
        #expect(company.value(forKey: "people") as? Int == 7)
    }

    @Test("They can be fetched by")
    func predicates() throws {
        let stack = try Stack(Self.model)
        let position = NSEntityDescription.insertNewObject(forEntityName: "Position", into: stack.context)
        position.setValue("Élève", forKey: "name")
        try stack.context.save()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Position")
        request.predicate = NSPredicate(format: "plain == %@", "eleve")
        #expect(try stack.context.fetch(request) == [position])
    }
}
