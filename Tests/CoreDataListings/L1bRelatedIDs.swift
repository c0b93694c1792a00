import CoreData
import Testing

@Suite("L1-b: the IDs of a relationship, and their objects batch by batch") @MainActor
struct L1bRelatedIDs {
    @Test("A thousand positions, a hundred at a time", arguments: StoreKind.allCases)
    func positions(_ kind: StoreKind) throws {
        let stack = try Stack(Companies.model(.cascadeDeleteRule), kind)
        let (company, _) = try Companies.insert(into: stack.context)
        for number in 4...1000 {
            let position = NSEntityDescription.insertNewObject(forEntityName: "Position", into: stack.context)
            position.setValue("\(number)", forKey: "name")
            position.setValue(company, forKey: "company")
        }
        try stack.context.save()
        stack.context.reset()

        let companies = try stack.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Company"))
        let again = try #require(companies.first)
        let ids = again.objectIDs(forRelationshipNamed: "positions")
        #expect(Set(ids).count == 1000)
        #expect(stack.context.registeredObjects.count == 1)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Position")
        request.fetchBatchSize = 100
        request.predicate = NSPredicate(format: "self IN %@", ids)
        var names: Set<String> = []
        for position in try stack.context.fetch(request) { names.insert(position.value(forKey: "name") as? String ?? "none") }
        #expect(names == Set((1...1000).map { "\($0)" }))
        let position = try #require(try stack.context.fetch(request).first)
        #expect(position.objectIDs(forRelationshipNamed: "company") == [again.objectID])
    }
}
