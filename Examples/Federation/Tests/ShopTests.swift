import Foundation
import Strata
import StrataSQLite
import Synchronization
import Testing

@testable import Federation

final class ShopTests {
    let directory = FileManager.default.temporaryDirectory.appending(path: "federation-\(UUID())").path
    let shop: Shop

    init() throws {
        shop = try Shop(directory: directory)
        try shop.offer([("bread", "Rye bread", 420, 10), ("milk", "Oat milk", 199, 3)])
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    /// The number of orders, the stock of bread, and the number of lines in carts.
    func state() throws -> [Int] {
        let context = shop.container.newContext()
        let bread = try #require(try context.first(Product.self, where: Product.sku == "bread"))
        return [try context.count(Order.self), bread.stock, try context.count(CartLine.self)]
    }

    @Test("Each entity is in the store of its configuration")
    func stores() throws {
        try shop.put("bread", for: "Ada")
        let context = shop.container.newContext()
        let cart = try #require(try context.first(CartLine.self))
        let bread = try #require(cart.product)
        let order = try shop.checkOut("Ada", in: context)
        let types = try [bread.objectID, order.objectID, cart.objectID].map { id in
            try #require(shop.container.coordinator.stores.first { $0.id == id.storeID }).type.rawValue
        }
        #expect(types == ["LMDB", "SQLite", "InMemory"])
    }

    @Test("A fetched property finds the product in another store by its key")
    func fetchedProperty() throws {
        try shop.put("milk", 2, for: "Ada")
        let context = shop.container.newContext()
        let order = try shop.checkOut("Ada", in: context)
        #expect(order.lines.first?.product?.name == "Oat milk")
        #expect(try shop.sales() == [.init(name: "Oat milk", sold: 2)])
    }

    @Test("Checking out changes all three stores in one save, which is one event")
    func checkOut() throws {
        try shop.put("bread", 4, for: "Ada")
        let events = Mutex<[Int]>([])
        let subscription = shop.container.coordinator.observeSaves { event in events.withLock { $0.append(event.stores.count) } }
        try shop.checkOut("Ada", in: shop.container.newContext())
        #expect(try state() == [1, 6, 0])
        #expect(events.withLock { $0 } == [3])
        subscription.cancel()
    }

    @Test("An object that one store refuses keeps the others as they were")
    func refusal() throws {
        try shop.put("bread", 11, for: "Ada")
        let context = shop.container.newContext()
        let error = #expect(throws: ValidationError.self) { try shop.checkOut("Ada", in: context) }
        #expect(error?.failures.map(\.key) == ["stock"])
        #expect(try state() == [0, 10, 1])
        #expect(!context.hasChanges)
    }

    @Test("A conflict in one store keeps the others as they were, and the order passes on the current data")
    func conflict() throws {
        try shop.put("bread", 2, for: "Ada")
        try shop.put("bread", 3, for: "Bob")
        let context = shop.container.newContext()
        let read = try #require(try context.first(Product.self, where: Product.sku == "bread"))
        #expect(read.stock == 10)
        try shop.checkOut("Bob", in: shop.container.newContext())
        #expect(throws: SaveConflictError.self) { try shop.checkOut("Ada", in: context) }
        #expect(try state() == [1, 7, 1])
        context.reset()
        try shop.checkOut("Ada", in: context)
        #expect(try state() == [2, 5, 0])
    }

    @Test("A product that is not sold and an empty cart are errors, and leave nothing to save")
    func errors() throws {
        let context = shop.container.newContext()
        #expect(throws: ShopError.emptyCart("Ada")) { try shop.checkOut("Ada", in: context) }
        try shop.put("cake", for: "Ada")
        #expect(throws: ShopError.notSold("cake")) { try shop.checkOut("Ada", in: context) }
        #expect(!context.hasChanges)
    }

    @Test("Objects in different stores cannot be related")
    func relationships() throws {
        let archive = try shop.container.coordinator.addStore(
            StoreDescription(.sqlite, path: "\(directory)/archive.sqlite", configuration: "orders"))
        let context = shop.container.newContext()
        let order = Order(context: context)
        (order.customer, order.placed) = ("Ada", Date())
        try context.save()
        let line = OrderLine(context: context)
        (line.order, line.sku) = (order, "bread")
        try context.assign(line, to: archive)
        let error = #expect(throws: StoreError.self) { try context.save() }
        #expect(error?.code == .crossStore)
    }

    @Test("Orders and products outlive the process, carts do not")
    func reopening() throws {
        try shop.put("bread", for: "Ada")
        try shop.checkOut("Ada", in: shop.container.newContext())
        try shop.put("milk", for: "Ada")
        try shop.container.close()
        let reopened = try Shop(directory: directory)
        #expect(try reopened.sales() == [.init(name: "Rye bread", sold: 1)])
        #expect(try reopened.container.newContext().count(CartLine.self) == 0)
        try reopened.container.close()
    }
}
