import Foundation
import Strata
import StrataSQLite
import StrataTestSupport

/// A SQLite store of customers and orders in a folder of its own, for the commands.
struct Shop {
    let directory: TemporaryDirectory
    var path: String { directory.file("shop.sqlite") }

    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(versionIdentifiers: ["1"]) {
            Entity("Customer") {
                Attribute("number", .integer32).required
                Attribute("name", .string)
                Attribute("since", .date)
                Relationship("orders", to: "Order", inverse: "customer", .toMany)
                Unique("number")
            }
            Entity("Order") {
                Attribute("total", .decimal)
                Attribute("isPaid", .boolean, default: false)
                Relationship("customer", to: "Customer", inverse: "orders")
            }
        }
    }

    /// Makes the store with customers 1, 2, …, each with as many orders as its number; a total is 10 times the customer's number.
    ///
    /// - Parameter keepsHistory: Whether the store has a history, of two transactions then.
    init(customers: Int = 3, keepsHistory: Bool = false) throws {
        directory = try TemporaryDirectory()
        let coordinator = PersistentStoreCoordinator(model: try Shop.model())
        var description = StoreDescription(.sqlite, path: directory.file("shop.sqlite"))
        if keepsHistory { description.options.history = .unlimited }
        let store = try coordinator.addStore(description)
        try BackgroundContext(coordinator, name: "shop").performAndWait { context in
            context.transactionAuthor = "shop"
            var made: [ManagedObject] = []
            for number in 1...customers {
                let customer = try context.insert("Customer")
                try customer.setValue(number, forKey: "number")
                try customer.setValue("Customer \(number)", forKey: "name")
                try customer.setValue(Date(timeIntervalSinceReferenceDate: Double(number) * 86_400 + 0.25), forKey: "since")
                made.append(customer)
            }
            try context.save()
            for (index, customer) in made.enumerated() {
                for _ in 0...index {
                    let order = try context.insert("Order")
                    try order.setValue(Decimal(index + 1) * 10, forKey: "total")
                    try order.setValue(customer, forKey: "customer")
                }
            }
            try context.save()
        }
        try coordinator.remove(store)
    }

    /// Writes a file into the folder and returns its path.
    func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: URL(filePath: directory.file(name)))
        return directory.file(name)
    }
}
