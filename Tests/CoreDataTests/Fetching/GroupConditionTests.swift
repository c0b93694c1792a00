import CoreData
import Testing

@Suite("Conditions on groups")
struct GroupConditionTests {
    /// The spelling that most people copy names the aggregate as a variable; the fetch knew no value of it.
    @Test("A condition names an aggregate as a variable")
    func variables() throws {
        let context = try MemoryStack.context("Person", [("name", .stringAttributeType), ("age", .integer16AttributeType)])
        try context.performAndWait {
            for (name, age) in [("Ada", 1), ("Ada", 5), ("Bo", 9)] {
                let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
                person.setValue(name, forKey: "name")
                person.setValue(age, forKey: "age")
            }
            try context.save()
            let total = NSExpressionDescription()
            total.name = "total"
            total.expression = NSExpression(forFunction: "sum:", arguments: [NSExpression(forKeyPath: "age")])
            total.expressionResultType = .integer64AttributeType
            let request = NSFetchRequest<NSDictionary>(entityName: "Person")
            request.resultType = .dictionaryResultType
            request.propertiesToGroupBy = ["name"]
            request.propertiesToFetch = ["name", total]
            request.havingPredicate = NSPredicate(format: "%@ > 6", NSExpression(forVariable: "total"))
            #expect(try context.fetch(request).map { $0["name"] as? String } == ["Bo"])
            request.havingPredicate = NSPredicate(format: "$total < 7")
            #expect(try context.fetch(request).map { $0["name"] as? String } == ["Ada"])
        }
    }
}
