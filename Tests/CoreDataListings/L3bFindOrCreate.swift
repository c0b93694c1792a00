import CoreData
import Foundation
import Testing

@Suite("L3-b: the warehouse L") @MainActor
struct L3bFindOrCreate {
    @Test("The second run finds it", arguments: StoreKind.kept)
    func runs(_ kind: StoreKind) throws {
        let folder = try Folder()
        var ids: [URL] = []
        for _ in 1...2 {
            let stack = try CoreDataStack(Warehouses.model, kind, in: folder)
            let warehouse = try stack.findOrCreate("L")
            ids.append(warehouse.objectID.uriRepresentation())
            #expect(try stack.context.count(for: NSFetchRequest<Warehouse>(entityName: "Warehouse")) == 1)
            try stack.psc.remove(try #require(stack.store))
        }
        #expect(ids[0] == ids[1])
        #expect(ids[0].scheme == "x-coredata")
    }
}
