import CoreData
import Foundation
import Testing

@Suite("L3-c: goods in their order") @MainActor
struct L3cOrderedGoods {
    @Test("The order is kept, and the inverse is set", arguments: StoreKind.kept)
    func order(_ kind: StoreKind) throws {
        let folder = try Folder()
        let names = ["pears", "apples", "zucchini", "bananas"]
        let first = try CoreDataStack(Warehouses.model, kind, in: folder)
        let warehouse = try first.findOrCreate("L")
        for name in names { #expect(first.add(name, to: warehouse).warehouse === warehouse) }
        let plums = Good(context: first.context)
        plums.name = "plums"
        plums.warehouse = warehouse
        #expect(warehouse.goods?.lastObject as? Good === plums)
        try first.saveContext()
        try first.psc.remove(try #require(first.store))

        let second = try CoreDataStack(Warehouses.model, kind, in: folder)
        let again = try second.findOrCreate("L")
        #expect(again.goods?.array.map { ($0 as? Good)?.name } == names + ["plums"])
        let goods = again.mutableOrderedSetValue(forKey: "goods")
        goods.moveObjects(at: IndexSet(integer: 4), to: 0)
        goods.exchangeObject(at: 1, withObjectAt: 2)
        #expect((again.goods?.array as? [Good])?.map(\.name) == ["plums", "apples", "pears", "zucchini", "bananas"])
        try second.saveContext()
        second.context.refreshAllObjects()
        #expect((again.goods?.array as? [Good])?.map(\.name) == ["plums", "apples", "pears", "zucchini", "bananas"])
    }
}
