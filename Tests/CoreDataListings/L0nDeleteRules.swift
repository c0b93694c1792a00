import CoreData
import Testing

@Suite("L0-n: company A with the positions 1, 2 and 3 is deleted") @MainActor
struct L0nDeleteRules {
    private func positions(_ context: NSManagedObjectContext) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Position")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        return try context.fetch(request)
    }

    private func companies(_ context: NSManagedObjectContext) throws -> Int {
        try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Company"))
    }

    @Test("No Action leaves the positions to whoever deletes", arguments: StoreKind.allCases)
    func noAction(_ kind: StoreKind) throws {
        let stack = try Stack(Companies.model(.noActionDeleteRule), kind)
        let (company, positions) = try Companies.insert(into: stack.context)
        stack.context.delete(company)
        for position in positions { position.setValue(nil, forKey: "company") }
        try stack.context.save()
        #expect(try self.positions(stack.context).count == 3)
        #expect(try companies(stack.context) == 0)
    }

    @Test("Nullify leaves positions without a company", arguments: StoreKind.allCases)
    func nullify(_ kind: StoreKind) throws {
        let stack = try Stack(Companies.model(.nullifyDeleteRule), kind)
        let (company, positions) = try Companies.insert(into: stack.context)
        stack.context.delete(company)
        stack.context.processPendingChanges()
        #expect(positions.allSatisfy { $0.value(forKey: "company") == nil })
        try stack.context.save()
        stack.context.reset()
        #expect(try self.positions(stack.context).map { $0.value(forKey: "name") as? String } == ["1", "2", "3"])
        #expect(try self.positions(stack.context).allSatisfy { $0.value(forKey: "company") == nil })
    }

    @Test("Cascade deletes the positions too", arguments: StoreKind.allCases)
    func cascade(_ kind: StoreKind) throws {
        let stack = try Stack(Companies.model(.cascadeDeleteRule), kind)
        let (company, positions) = try Companies.insert(into: stack.context)
        stack.context.delete(company)
        stack.context.processPendingChanges()
        #expect(positions.allSatisfy { $0.isDeleted })
        try stack.context.save()
        #expect(try self.positions(stack.context).isEmpty)
    }

    @Test("Deny keeps the company for as long as there are positions", arguments: StoreKind.allCases)
    func deny(_ kind: StoreKind) throws {
        let stack = try Stack(Companies.model(.denyDeleteRule), kind)
        let (company, positions) = try Companies.insert(into: stack.context)
        stack.context.delete(company)
        do {
            try stack.context.save()
            Issue.record("a company was deleted that has positions")
        } catch let error as NSError {
            #expect(error.domain == NSCocoaErrorDomain)
            #expect(error.code == NSValidationRelationshipDeniedDeleteError)
            #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "positions")
            #expect(error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === company)
        }
        stack.context.rollback()
        #expect(try companies(stack.context) == 1)
        for position in positions { stack.context.delete(position) }
        stack.context.delete(company)
        try stack.context.save()
        #expect(try companies(stack.context) == 0)
    }
}
