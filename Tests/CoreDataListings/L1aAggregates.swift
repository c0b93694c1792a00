import CoreData
import Testing

@Suite("L1-a: sums by product line") @MainActor
struct L1aAggregates {
    private static let model: NSManagedObjectModel = makeModel(
        entity(
            "Shoe", NSManagedObject.self,
            [
                attribute("productLine", .stringAttributeType), attribute("sold", .integer32AttributeType, default: 0),
                attribute("returned", .integer32AttributeType, default: 0),
            ]))
    private static let sales = [
        ("Bowler", 20, 3), ("Stetson", 100, 20), ("Top Hat", 50, 6), ("Bowler", 28, 1), ("Stetson", 42, 7),
    ]

    private func stack(_ kind: StoreKind) throws -> Stack {
        let stack = try Stack(Self.model, kind)
        for (line, sold, returned) in Self.sales {
            let shoe = NSEntityDescription.insertNewObject(forEntityName: "Shoe", into: stack.context)
            shoe.setValuesForKeys(["productLine": line, "sold": sold, "returned": returned])
        }
        try stack.context.save()
        return stack
    }

    private func sum(_ name: String, _ expression: NSExpression) -> NSExpressionDescription {
        let description = NSExpressionDescription()
        description.name = name
        description.expression = expression
        description.expressionResultType = .integer32AttributeType
        return description
    }

    private func texts(_ rows: [NSDictionary]) -> [String] {
        rows.map { row in
            let line = row["productLine"] as? String
            let (sold, returned) = (row["SoldCount"] as? Int, row["ReturnedCount"] as? Int)
            return "\(line ?? "none") \(sold ?? -1) \(returned ?? -1) of \(row.count)"
        }
    }

    @Test("Three rows, of key paths of operators", arguments: StoreKind.allCases)
    func operators(_ kind: StoreKind) throws {
        let stack = try stack(kind)
        let request = NSFetchRequest<NSDictionary>(entityName: "Shoe")
        request.propertiesToFetch = [
            "productLine", sum("SoldCount", NSExpression(format: "@sum.sold")), sum("ReturnedCount", NSExpression(format: "@sum.returned")),
        ]
        request.propertiesToGroupBy = ["productLine"]
        request.sortDescriptors = [NSSortDescriptor(key: "productLine", ascending: true)]
        request.resultType = .dictionaryResultType
        #expect(texts(try stack.context.fetch(request)) == ["Bowler 48 4 of 3", "Stetson 142 27 of 3", "Top Hat 50 6 of 3"])
    }

    @Test("The same of functions, and of descriptions of properties", arguments: StoreKind.allCases)
    func functions(_ kind: StoreKind) throws {
        let stack = try stack(kind)
        let shoe = try #require(NSEntityDescription.entity(forEntityName: "Shoe", in: stack.context))
        let line = try #require(shoe.attributesByName["productLine"])
        let request = NSFetchRequest<NSDictionary>()
        request.entity = shoe
        request.propertiesToFetch = [
            line, sum("SoldCount", NSExpression(forFunction: "sum:", arguments: [NSExpression(forKeyPath: "sold")])),
            sum("ReturnedCount", NSExpression(forFunction: "sum:", arguments: [NSExpression(forKeyPath: "returned")])),
        ]
        request.propertiesToGroupBy = [line]
        request.sortDescriptors = [NSSortDescriptor(key: "productLine", ascending: true)]
        request.resultType = .dictionaryResultType
        #expect(texts(try stack.context.fetch(request)) == ["Bowler 48 4 of 3", "Stetson 142 27 of 3", "Top Hat 50 6 of 3"])
        request.havingPredicate = NSPredicate(format: "productLine != %@", "Stetson")
        #expect(texts(try stack.context.fetch(request)) == ["Bowler 48 4 of 3", "Top Hat 50 6 of 3"])
    }
}
