import Foundation
import Strata
import StrataSQLite
import StrataTestSupport
import Testing

@Suite("The command: models and histories") struct VersionTests {
    /// An empty store of the shop's second version, which keeps that model.
    static func secondVersion(in shop: Shop) throws -> String {
        let model = try ManagedObjectModel(versionIdentifiers: ["2"]) {
            Entity("Customer") {
                Attribute("number", .integer32).required
                Attribute("label", .string).renamed(from: "name")
                Relationship("orders", to: "Order", inverse: "customer", .toMany)
                Unique("number")
            }
            Entity("Order") {
                Attribute("total", .decimal)
                Attribute("isPaid", .boolean, default: false)
                Relationship("customer", to: "Customer", inverse: "orders")
            }
        }
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.remove(try coordinator.addStore(StoreDescription(.sqlite, path: shop.directory.file("second.sqlite"))))
        return shop.directory.file("second.sqlite")
    }

    @Test("migrate shows its steps, and takes them with --apply, and loses data only with --lose-data") func migration() throws {
        let shop = try Shop()
        let second = try Self.secondVersion(in: shop)
        let plan = try shop.run("migrate", shop.path, "--to", second)
        #expect(Set(plan.lines) == ["rename Customer.name to Customer.label", "drop Customer.since (loses data)"])
        #expect(try shop.run("check", shop.path, "--model", second).status == 1)
        #expect(try shop.run("migrate", shop.path, "--to", second, "--apply").status == 65)
        #expect(try shop.run("count", shop.path, "Customer where name == \"Customer 1\"").output == "1\n")
        #expect(try shop.run("migrate", shop.path, "--to", second, "--apply", "--lose-data").status == 0)
        #expect(try shop.run("count", shop.path, "Customer where label == \"Customer 1\"").output == "1\n")
        #expect(try shop.run("check", shop.path, "--model", second).status == 0)
        #expect(try shop.run("migrate", shop.path, "--to", second).output == "The store is of this version.\n")
    }

    @Test("schema prints the model that the store keeps") func schema() throws {
        let shop = try Shop()
        #expect(try shop.run("schema", shop.path).output.contains("attribute number: integer32, required"))
        #expect(try shop.run("schema", shop.path, "--format", "svg").output.hasPrefix("<svg"))
        let json = try JSONSerialization.jsonObject(with: Data(try shop.run("schema", shop.path, "--json").output.utf8)) as? [String: Any]
        #expect((json?["entities"] as? [[String: Any]])?.map { $0["name"] as? String } == ["Customer", "Order"])
    }

    @Test("history lists transactions by author, date and object, and deletes old ones") func history() throws {
        let shop = try Shop(keepsHistory: true)
        let run = try shop.run("history", "list", shop.path)
        #expect(run.lines.count == 4)
        #expect(run.lines[2].hasSuffix("save  shop           3        0        0"))
        #expect(try shop.run("history", "list", shop.path, "--where", "author == 'nobody'").lines.count == 2)
        #expect(try shop.run("history", "list", shop.path, "--after", "1", "--json").lines.count == 1)
        #expect(try shop.run("history", "list", shop.path, "--changes", "entityName == 'Order'", "--json").lines.count == 1)
        #expect(
            try shop.run("history", "purge", shop.path, "--before", "2", "--dry-run").output.hasPrefix("1 transactions are before it"))
        #expect(try shop.run("history", "purge", shop.path, "--before", "2").output == "deleted 1 transactions\n")
        #expect(try shop.run("history", shop.path).lines.count == 3)
        #expect(try shop.run("history", "list", shop.path, "--object", "Order/p1").lines.count == 3)
        #expect(try shop.run("history", "list", shop.path, "--object", "nonsense").status == 66)
        #expect(try shop.run("history", "list", shop.path, "--after", "9223372036854775808").status == 64)
        let other = try Shop()
        #expect(try other.run("history", "list", other.path).status == 66)
    }
}
