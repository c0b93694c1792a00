import Foundation
import Strata
import StrataInMemory
import StrataLMDB
import StrataSQLite

/// A shop whose objects are in three stores under one coordinator.
struct Shop {
    let container: PersistentContainer

    init(directory: String) throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        container = try PersistentContainer(
            name: "shop", model: try shopModel(),
            stores: [
                StoreDescription(.lmdb, path: "\(directory)/catalogue.lmdb", configuration: "catalogue"),
                StoreDescription(.sqlite, path: "\(directory)/orders.sqlite", configuration: "orders"),
                StoreDescription(.inMemory, configuration: "carts"),
            ])
    }

    /// Adds products, or changes those with the same SKU.
    func offer(_ products: [(sku: String, name: String, cents: Int, stock: Int)]) throws {
        var request = BatchInsertRequest(
            entityName: "Product",
            objects: products.map { product in
                [
                    "sku": .string(product.sku), "name": .string(product.name), "cents": .int(Int64(product.cents)),
                    "stock": .int(Int64(product.stock)),
                ]
            })
        request.mergePolicy = .mergeByPropertyObjectTrump
        try container.newContext().execute(request)
    }

    func put(_ sku: String, _ count: Int = 1, for visitor: String) throws {
        let context = container.newContext()
        if let line = try context.first(CartLine.self, where: CartLine.visitor == visitor && CartLine.sku == sku) {
            line.count += count
        } else {
            let line = CartLine(context: context)
            (line.visitor, line.sku, line.count) = (visitor, sku, count)
        }
        try context.save()
    }

    /// Makes an order of a cart.
    ///
    /// One save stores the order, decreases the stock, and empties the cart, each in another store, or does nothing of it.
    @discardableResult
    func checkOut(_ visitor: String, in context: ManagedObjectContext) throws -> Order {
        do {
            let order = Order(context: context)
            (order.customer, order.placed) = (visitor, Date())
            for item in try context.fetch(CartLine.self, where: CartLine.visitor == visitor) {
                guard let product = item.product else { throw ShopError.notSold(item.sku) }
                let line = OrderLine(context: context)
                (line.order, line.sku, line.count, line.cents) = (order, item.sku, item.count, product.cents)
                // The model demands that it stays at 0 or more; a sale at the same time is a conflict of the save.
                product.stock -= item.count
                context.delete(item)
            }
            guard !order.lines.isEmpty else { throw ShopError.emptyCart(visitor) }
            try context.save()
            return order
        } catch let error {
            context.rollback()
            throw error
        }
    }

    /// Makes an order of a cart, again with the current stock where another process sold the same products in between.
    func checkOut(_ visitor: String, attempts: Int = 5) throws {
        do {
            try checkOut(visitor, in: container.newContext())
        } catch is SaveConflictError where attempts > 1 {
            try checkOut(visitor, attempts: attempts - 1)
        }
    }

    /// What was sold of each product: summed by the store of the orders, named by that of the products, in one state of both.
    func sales() throws -> [Sales] {
        let context = container.newContext()
        return try context.withSnapshot {
            let request = ObjectFetchRequest<OrderLine>(sort: [OrderLine.sku.ascending])
                .grouped(by: ["sku"], computing: [.sum("count", as: "sold")])
            let groups = try context.fetch(request, as: Group.self)
            let products = try context.fetch(Product.self, where: Product.sku.isIn(groups.map(\.sku)))
            let names = Dictionary(uniqueKeysWithValues: products.map { ($0.sku, $0.name) })
            return groups.map { Sales(name: names[$0.sku] ?? $0.sku, sold: $0.sold) }
        }
    }

    private struct Group: Decodable {
        var sku: String
        var sold: Int
    }

    struct Sales: Equatable {
        var name: String
        var sold: Int
    }
}

enum ShopError: Error, Equatable {
    case emptyCart(String)
    case notSold(String)
}
