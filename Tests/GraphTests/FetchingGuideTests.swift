import Foundation
import Strata
import StrataInMemory
import StrataTestSupport
import Testing

private final class Sale: ManagedObject {
    static let productLine = Key<String>("productLine")
    static let sold = Key<Int32>("sold")
    static let shop = ToOne<Shop>("shop")
}

private final class Shop: ManagedObject { static let city = Key<String>("city") }

@Suite("The guide to fetching")
struct FetchingGuideTests {
    @Test("Its examples are the code below")
    func text() throws {
        #expect(try PageExamples.ofGuide("Fetching") == (10, []))
    }

    @Test("Its examples run")
    func run() async throws {
        let model = try ManagedObjectModel {
            Entity("Sale", class: Sale.self) {
                Attribute("productLine", .string)
                Attribute("sold", .integer32)
                Attribute("returned", .integer32)
                Relationship("shop", to: "Shop", inverse: "sales")
                FetchedProperty("betterOnes", to: "Sale", predicate: "sold > $FETCH_SOURCE.sold", sort: ["sold"])
            }
            Entity("Shop", class: Shop.self) {
                Attribute("city", .string)
                Relationship("sales", to: "Sale", inverse: "shop", .toMany)
            }
            FetchTemplate("soldMoreThan", entity: "Sale", predicate: "sold > $COUNT", sort: ["sold"])
        }
        let container = try PersistentContainer(name: "guide", model: model, stores: [StoreDescription(.inMemory)])
        let context = ManagedObjectContext(container.coordinator)
        let background = BackgroundContext(container.coordinator)
        let rome = Shop(context: context)
        rome[Shop.city] = "Rome"
        for (line, sold, returned) in [("Bowler", 48, 4), ("Stetson", 142, 27), ("Top Hat", 50, 6), ("Bowler", 1, 1)] {
            let sale = Sale(context: context)
            sale[Sale.productLine] = line
            sale[Sale.sold] = Int32(sold)
            try sale.setValue(returned, forKey: "returned")
            sale[Sale.shop] = rome
        }
        try context.save()

        let request = ObjectFetchRequest<Sale>(Sale.sold > 20, sort: [Sale.sold.descending], limit: 10)
        let sales = try context.fetch(request)
        let ids = try context.fetchObjectIDs(request)
        let count = try context.count(for: request)
        #expect(sales.map(\.objectID) == ids)
        #expect(count == 3)

        let rows = try context.fetchDictionaries(ObjectFetchRequest<Sale>().fetching("productLine", "shop.city", distinct: true))
        for row in rows { print(row["productLine"] ?? .null, row["shop.city"] ?? .null) }
        let kept = try QueryExpression(format: "sold - returned").named("kept")
        let best = try context.fetchDictionaries(
            ObjectFetchRequest<Sale>(sort: [QuerySort("kept", ascending: false)], limit: 3).fetching("productLine", kept))
        #expect(rows.count == 3)
        #expect(best.map { $0["kept"] } == [115, 44, 44])

        let lines = ObjectFetchRequest<Sale>(sort: [QuerySort("SoldCount", ascending: false)]).grouped(
            by: ["productLine"],
            computing: [
                try QueryExpression(format: "@sum.sold").named("SoldCount", .integer32),
                try QueryExpression(format: "sum:(sold) / count:(sold)").named("mean"),
            ],
            having: key("SoldCount") > 49)
        let groups = try context.fetchDictionaries(lines)
        #expect(groups.map(\.values) == [["Stetson", 142, 142], ["Top Hat", 50, 50]])

        struct Line: Decodable { var productLine: String; var total: Int }
        let totals = try context.fetch(
            ObjectFetchRequest<Sale>().grouped(by: ["productLine"], computing: [.sum("sold", as: "total")]), as: Line.self)
        for (line, sold) in try context.fetch(ObjectFetchRequest<Sale>(), selecting: Sale.productLine, Sale.sold) {
            print(line ?? "", sold ?? 0)
        }
        #expect(totals.map(\.total) == [49, 142, 50])

        var all = ObjectFetchRequest<Sale>(sort: [Sale.productLine.ascending])
        all.fetchBatchSize = 50
        all.relationshipKeyPathsForPrefetching = ["shop"]
        for sale in try context.fetchLazily(all) { print(sale[Sale.shop]?[Shop.city] ?? "") }

        let cities = try await background.fetch(ObjectFetchRequest<Shop>(), progress: { print($0.completedCount) }) { shops in
            shops.compactMap { $0[Shop.city] }
        }
        #expect(cities == ["Rome"])

        let explanation = try context.explain(request)
        print(explanation)
        for warning in explanation.warnings { print(warning) }
        #expect(explanation.rowsRead == 4)
        #expect(explanation.warnings.isEmpty)

        let popular = try model.fetchRequest(fromTemplate: "soldMoreThan", substituting: ["COUNT": 40], for: Sale.self)
        let better = try sales[0].fetchedObjects("betterOnes")
        #expect(try context.count(for: popular) == 3)
        #expect(better.isEmpty)

        context.forgetFaultingDiagnostics()
        for id in ids {
            let sale = try context.existingObject(with: id, as: Sale.self)
            print(sale[Sale.shop]?[Shop.city] ?? "")
        }
        for diagnostic in context.faultingDiagnostics { print(diagnostic) }
        #expect(context.faultingDiagnostics.isEmpty)
    }
}
