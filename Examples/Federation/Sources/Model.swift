import Foundation
import Strata

/// What the shop sells: read by every visitor, in LMDB.
final class Product: ManagedObject {
    static let sku = Key<String>("sku")
    static let name = Key<String>("name")
    static let cents = Key<Int>("cents")
    static let stock = Key<Int>("stock")

    var sku: String { self[Self.sku] ?? "" }
    var name: String { self[Self.name] ?? "" }
    var cents: Int { self[Self.cents] ?? 0 }
    var stock: Int {
        get { self[Self.stock] ?? 0 }
        set { self[Self.stock] = newValue }
    }
}

/// A purchase: in SQLite, where other programs read it.
final class Order: ManagedObject {
    static let customer = Key<String>("customer")
    static let placed = Key<Date>("placed")
    static let lines = ToMany<OrderLine>("lines")

    var customer: String {
        get { self[Self.customer] ?? "" }
        set { self[Self.customer] = newValue }
    }
    var placed: Date? {
        get { self[Self.placed] }
        set { self[Self.placed] = newValue }
    }
    var lines: Set<OrderLine> { self[Self.lines] }
}

final class OrderLine: ManagedObject {
    static let order = ToOne<Order>("order")
    static let sku = Key<String>("sku")
    static let count = Key<Int>("count")
    static let cents = Key<Int>("cents")
    static let product = Fetched<Product>("product")

    var order: Order? {
        get { self[Self.order] }
        set { self[Self.order] = newValue }
    }
    var sku: String {
        get { self[Self.sku] ?? "" }
        set { self[Self.sku] = newValue }
    }
    var count: Int {
        get { self[Self.count] ?? 0 }
        set { self[Self.count] = newValue }
    }
    var cents: Int {
        get { self[Self.cents] ?? 0 }
        set { self[Self.cents] = newValue }
    }
    /// The product, from another store; nil where it is sold no more.
    var product: Product? { self[Self.product].first }
}

/// What a visitor has chosen: in memory, as it need not survive the process.
final class CartLine: ManagedObject {
    static let visitor = Key<String>("visitor")
    static let sku = Key<String>("sku")
    static let count = Key<Int>("count")
    static let product = Fetched<Product>("product")

    var visitor: String {
        get { self[Self.visitor] ?? "" }
        set { self[Self.visitor] = newValue }
    }
    var sku: String {
        get { self[Self.sku] ?? "" }
        set { self[Self.sku] = newValue }
    }
    var count: Int {
        get { self[Self.count] ?? 0 }
        set { self[Self.count] = newValue }
    }
    var product: Product? { self[Self.product].first }
}

/// The model: a relationship stays within one store, a fetched property finds objects of any by a key.
func shopModel() throws -> ManagedObjectModel {
    let product = FetchedProperty("product", to: "Product", predicate: "sku == $FETCH_SOURCE.sku", limit: 1)
    return try ManagedObjectModel {
        Entity("Product", class: Product.self) {
            Attribute(Product.sku, .string).required
            Attribute(Product.name, .string).required
            Attribute(Product.cents, .integer64, default: 0).required
            Attribute(Product.stock, .integer64, default: 0, validation: [.range(0...1_000_000)]).required
            Unique("sku")
        }
        Entity("Order", class: Order.self) {
            Attribute(Order.customer, .string).required
            Attribute(Order.placed, .date).required
            Relationship(Order.lines, to: "OrderLine", inverse: "order", deleteRule: .cascade)
        }
        Entity("OrderLine", class: OrderLine.self) {
            Attribute(OrderLine.sku, .string).required
            Attribute(OrderLine.count, .integer64, default: 0).required
            Attribute(OrderLine.cents, .integer64, default: 0).required
            Relationship(OrderLine.order, to: "Order", inverse: "lines").required
            product
            FetchIndex("bySKU", on: "sku")
        }
        Entity("CartLine", class: CartLine.self) {
            Attribute(CartLine.visitor, .string).required
            Attribute(CartLine.sku, .string).required
            Attribute(CartLine.count, .integer64, default: 1, validation: [.range(1...1_000)]).required
            product
            Unique("visitor", "sku")
        }
        EntityConfiguration("catalogue", "Product")
        EntityConfiguration("orders", "Order", "OrderLine")
        EntityConfiguration("carts", "CartLine")
    }
}
