import Foundation
import Strata
import StrataTestModels
import Testing

@testable import StrataPostgreSQL

@Suite("PostgreSQL: conditions on groups", .server)
struct HavingTests {
    let scratch: Scratch
    /// A store in memory, and one on the server.
    let contexts: [ManagedObjectContext]

    init() throws {
        let scratch = try Scratch()
        self.scratch = scratch
        let model = try ManagedObjectModel {
            Entity("Sale") {
                Attributes([
                    "line": .string, "shop": .string, "sold": .integer64, "price": .double, "day": .date, "isPaid": .boolean,
                ])
                Relationships(["parent": .toOne("Sale.parts"), "parts": .toMany("Sale.parent")])
            }
        }
        contexts = try scratch.filledContexts(model) { context in
            var sales: [ManagedObject] = []
            for number in 0..<60 {
                let sale = try context.insert("Sale")
                if number % 11 != 0 { try sale.setValue(["hats", "Shoes", "ties", "é"][number % 4], forKey: "line") }
                try sale.setValue(["Oslo", "Rome", nil][number % 3], forKey: "shop")
                if number % 7 != 0 { try sale.setValue(number * number % 23 - 4, forKey: "sold") }
                if number % 5 != 0 { try sale.setValue(Double(number % 13) / 7, forKey: "price") }
                try sale.setValue(Date(timeIntervalSinceReferenceDate: Double(number % 9)), forKey: "day")
                try sale.setValue(number % 2 == 0, forKey: "isPaid")
                if number > 6 { try sale.setValue(sales[number / 7], forKey: "parent") }
                sales.append(sale)
            }
        }
    }

    private static let results: [ExpressionDescription] = [
        .count(), .sum("sold", as: "total"), QueryExpression.keyPath("@avg.price").named("mean"),
        QueryExpression.keyPath("@sum.price").named("worth"), QueryExpression.keyPath("@min.day").named("first"),
        QueryExpression.keyPath("@max.shop").named("last"), QueryExpression.keyPath("@max.isPaid").named("paid"),
        QueryExpression.keyPath("@distinctUnionOfObjects.shop.@count").named("shops"),
        QueryExpression.function(.median, [.keyPath("sold")]).named("middle"),
    ]
    private static let decided = [
        "count > 5", "count == 1", "total >= 10", "NOT (total > 10)", "total == 0", "mean > 0.9", "mean == nil", "worth > 3",
        "worth <= 2.5", "line BEGINSWITH 'h'", "line == nil", "line != 'hats'", "line IN {'ties', 'é'}", "total BETWEEN {5, 30}",
        "paid == YES", "last == 'Rome'", "last == nil", "total > count", "total + count > 20", "total / count > 3", "worth > total",
        "shops == 2", "mean * count > 8",
        "count > 2 AND (total < 9 OR line == 'hats')", "first == CAST(1, 'NSDate')", "TRUEPREDICATE", "FALSEPREDICATE",
    ]
    private static let undecided = [
        "line BEGINSWITH[c] 's'", "middle > 3", "count > 4 AND middle > 3", "count > 4 AND line ENDSWITH[cd] 'E'",
    ]

    private func request(_ key: String, _ format: String) throws -> ObjectFetchRequest<ManagedObject> {
        ObjectFetchRequest<ManagedObject>(entityName: "Sale")
            .grouped(by: [ExpressionDescription(key)], computing: HavingTests.results, having: try QueryPredicate(format: format))
    }

    @Test("Groups that meet a condition are the same for the server and the core", arguments: decided + undecided)
    func same(_ format: String) throws {
        for key in ["line", "parent", "day"] where key == "line" || !format.contains("line") {
            let request = try request(key, format)
            let answers = try contexts.map { context in
                try context.fetchDictionaries(request).map { row in
                    let object = row[key]?.objectID.map { "\($0.reference)" }
                    return "\(object ?? "\(String(describing: row[key]))") \(HavingTests.results.map { String(describing: row[$0.name]) })"
                }
            }
            #expect(answers[0] == answers[1], "by \(key)")
            let explanation = try contexts[1].explain(request)
            let isDecided = HavingTests.decided.contains(format)
            #expect(explanation.steps.contains { $0.hasPrefix("groups tested in the \(isDecided ? "store" : "core")") }, "\(explanation)")
            let isPushed = explanation.stores.allSatisfy { $0.plan.statement?.contains(" HAVING ") == true }
            #expect(isPushed == (isDecided || format.hasPrefix("count")), "\(explanation)")
        }
    }

    @Test("Groups of several stores are tested when they are whole")
    func severalStores() throws {
        let other = try Scratch()
        let coordinator = PersistentStoreCoordinator(model: contexts[1].model)
        try coordinator.addStore(scratch.description)
        try coordinator.addStore(other.description)
        let context = ManagedObjectContext(coordinator)
        let second = try #require(coordinator.stores.last)
        for shop in ["Oslo", "Bergen"] {
            let sale = try context.insert("Sale")
            try context.assign(sale, to: second)
            try sale.setValue("hats", forKey: "line")
            try sale.setValue(shop, forKey: "shop")
        }
        try context.save()
        var request = try request("line", "shops == 3 AND count > 14")
        #expect(try context.fetchDictionaries(request).map { $0["line"] } == ["hats"])
        request.havingPredicate = try QueryPredicate(format: "shops == 2")
        #expect(try !context.fetchDictionaries(request).contains { $0["line"] == "hats" })
    }
}
