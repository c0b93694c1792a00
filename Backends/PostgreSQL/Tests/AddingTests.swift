import Foundation
import Strata
import StrataTestModels
import Testing

@testable import StrataPostgreSQL

@Suite("PostgreSQL: numbers that the server adds up and groups by", .server)
struct AddingTests {
    let scratch: Scratch
    /// A store in memory, and one on the server.
    let contexts: [ManagedObjectContext]

    init() throws {
        let scratch = try Scratch()
        self.scratch = scratch
        let model = try ManagedObjectModel {
            Entity("Sale") {
                Attributes(["number": .integer64, "price": .double, "amount": .decimal])
                Relationships([
                    "whole": .toOne("Sale.parts"), "parts": .toMany("Sale.whole"), "list": .toOne("Sale.listed"),
                    "listed": .ordered("Sale.list"), "bought": .ordered("Sale.with"), "with": .toMany("Sale.bought"),
                ])
            }
        }
        contexts = try scratch.filledContexts(model) { context in
            let sales = try (0..<60).map { number in
                let sale = try context.insert("Sale")
                try sale.setValue(number, forKey: "number")
                let price = Double(number * 7919 % 61 + 1) / 7 * (number % 2 == 0 ? 1e10 : 1e-3)
                if number % 9 != 0 { try sale.setValue(price, forKey: "price") }
                try sale.setValue(["1.5", "-20", "0.1", nil][number % 4].flatMap { Decimal(string: $0) }, forKey: "amount")
                return sale
            }
            for number in 0..<6 {
                let members = (0..<9).map { sales[(number * 9 + $0 * 17) % 60] }
                try sales[number].setValue(Set(members), forKey: "parts")
                try sales[number].setValue(members, forKey: "listed")
                try sales[number].setValue(Array(members.reversed()), forKey: "bought")
            }
        }
    }

    @Test(
        "Sums and averages over collections are the core's, to the last bit",
        arguments: [
            "parts.@sum.price", "parts.@avg.price", "listed.@sum.price", "bought.@sum.price", "with.@avg.price",
            "SUBQUERY(listed, $p, $p.price > 1).@sum.price",
        ])
    func collections(_ format: String) throws {
        var request = ObjectFetchRequest<ManagedObject>(entityName: "Sale", sort: [QuerySort("number")])
        let values = try contexts[0].fetchDictionaries(request.fetching(QueryExpression(format: format).named("value")))
        var different: Set<Double> = []
        for case .double(let value)? in values.map({ $0["value"] }) {
            different.insert(value)
            request.predicate = try QueryPredicate(format: "\(format) == %@", value)
            let numbers = try contexts.map { try $0.fetch(request).map { try $0.value(forKey: "number") as? Int } }
            #expect(numbers[0] == numbers[1])
            #expect(!numbers[0].isEmpty)
        }
        #expect(different.count > 3)
        let plans = try contexts[1].explain(request).stores.map(\.plan)
        #expect(plans.allSatisfy { $0.remaining.isEmpty }, "\(plans)")
        #expect(plans.allSatisfy { $0.statement?.contains(" ORDER BY ") == true }, "\(plans)")
    }

    private func groups(_ context: ManagedObjectContext, _ request: ObjectFetchRequest<ManagedObject>) throws -> [String] {
        try context.fetchDictionaries(request).map { "\(String(describing: $0["amount"])) \(String(describing: $0["result"]))" }.sorted()
    }

    @Test("Groups by decimal numbers, and medians of floating-point numbers, are the server's where it has those of the core")
    func decimals() throws {
        let median = QueryExpression.function(.median, [.keyPath("price")]).named("result")
        let request = ObjectFetchRequest<ManagedObject>(entityName: "Sale")
            .grouped(by: [ExpressionDescription("amount")], computing: [median])
        func isComputed() throws -> Bool {
            try contexts[1].explain(request).stores.allSatisfy { $0.plan.statement?.contains(" GROUP BY ") == true }
        }
        #expect(try groups(contexts[0], request) == groups(contexts[1], request))
        #expect(try isComputed())
        // What others wrote another way, and what is no number.
        try scratch.run("UPDATE \(scratch.schema).sale SET amount = 1.500 WHERE amount = 1.5 AND number > 20")
        contexts[1].reset()
        #expect(try groups(contexts[0], request) == groups(contexts[1], request))
        for price in ["'NaN'", "'-0'"] {
            try scratch.run("UPDATE \(scratch.schema).sale SET price = \(price) WHERE number = 22")
            #expect(try groups(contexts[1], request).count == 4)
        }
        let long = "0.12345678901234567890123456789012345678901234567890"
        try scratch.run("UPDATE \(scratch.schema).sale SET amount = \(long) WHERE number < 9")
        #expect(try groups(contexts[1], request).count == 5)
    }
}
