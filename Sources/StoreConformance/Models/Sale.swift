import Strata
import StrataTestModels

/// A sale of hats, as the articles on Core Data sum them up.
final class Sale: ManagedObject {
    static let productLine = Key<String>("productLine")
    static let sold = Key<Int32>("sold")
    static let returned = Key<Int32>("returned")
    static let price = Key<Double>("price")
    static let shop = ToOne<Shop>("shop")

    /// The sales of the article: Bowler 48 and 4, Stetson 142 and 27, Top Hat 50 and 6.
    static func insert(into context: ManagedObjectContext) {
        let lines: [(String, [(sold: Int32, returned: Int32)])] = [
            ("Bowler", [(18, 1), (30, 3)]), ("Stetson", [(42, 7), (50, 12), (50, 8)]), ("Top Hat", [(20, 2), (25, 4), (5, 0)]),
        ]
        let shops = ["Rome", "Oslo"].map { city in
            let shop = Shop(context: context)
            shop[Shop.city] = city
            return shop
        }
        for (lineIndex, (line, sales)) in lines.enumerated() {
            for (index, (sold, returned)) in sales.enumerated() {
                let sale = Sale(context: context)
                sale[productLine] = line
                sale[Sale.sold] = sold
                sale[Sale.returned] = returned
                sale[price] = Double(lineIndex) + 0.5
                sale[shop] = index == 2 ? nil : shops[index]
            }
        }
    }
}

final class Shop: ManagedObject {
    static let city = Key<String>("city")
    static let sales = ToMany<Sale>("sales")
}

extension Models {
    /// Sales of shops.
    static let sales = ModelResult.declared {
        Entity("Sale", class: Sale.self) {
            Attributes(["productLine": .string, "sold": .integer32, "returned": .integer32, "price": .double])
            Relationship("shop", to: "Shop", inverse: "sales")
        }
        Entity("Shop", class: Shop.self, attributes: ["city": .string], relationships: ["sales": .toMany("Sale.shop")])
    }
}
