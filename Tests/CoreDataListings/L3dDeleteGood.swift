import CoreData
import Testing

@Suite("L3-d: a good is deleted by its place") @MainActor
struct L3dDeleteGood {
    @Test("It is gone after the restart", arguments: StoreKind.kept)
    func deleting(_ kind: StoreKind) throws {
        let folder = try Folder()
        let first = try CoreDataStack(Warehouses.model, kind, in: folder)
        let warehouse = try first.findOrCreate("L")
        for name in ["pears", "apples", "plums"] { first.add(name, to: warehouse) }
        try first.saveContext()
        let goods = warehouse.goods?.mutableCopy() as! NSMutableOrderedSet
        let apples = try #require(goods.object(at: 1) as? Good)
        goods.removeObject(at: 1)
        warehouse.goods = goods.copy() as? NSOrderedSet
        first.context.delete(apples)
        try first.saveContext()
        try first.psc.remove(try #require(first.store))

        let second = try CoreDataStack(Warehouses.model, kind, in: folder)
        let again = try second.findOrCreate("L")
        #expect((again.goods?.array as? [Good])?.map(\.name) == ["pears", "plums"])
        #expect(try second.context.count(for: NSFetchRequest<Good>(entityName: "Good")) == 2)
    }
}
