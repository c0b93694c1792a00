import CoreData
import Testing

@Suite("Conditions on groups")
struct GroupConditionTests {
    /// The sum of the ages.
    private func total() -> NSExpressionDescription {
        let total = NSExpressionDescription()
        total.name = "total"
        total.expression = NSExpression(forFunction: "sum:", arguments: [NSExpression(forKeyPath: "age")])
        total.expressionResultType = .integer64AttributeType
        return total
    }

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
            let total = total()
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

    /// An aggregate of all objects was refused where the request was sorted by what is none of it, as one that lists them is.
    @Test("A sum of all objects may be sorted by what it sums") func sortedSum() throws {
        let context = try MemoryStack.context("Person", [("name", .stringAttributeType), ("age", .integer16AttributeType)])
        try context.performAndWait {
            for age in [1, 5, 9] {
                NSEntityDescription.insertNewObject(forEntityName: "Person", into: context).setValue(age, forKey: "age")
            }
            try context.save()
            let total = total()
            let request = NSFetchRequest<NSDictionary>(entityName: "Person")
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = [total]
            request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: false)]
            #expect(try context.fetch(request).map { $0["total"] as? Int } == [15])
            request.sortDescriptors = [NSSortDescriptor(key: "height", ascending: false)]
            #expect(throws: NSError.self) { try context.fetch(request) }
        }
    }
}
