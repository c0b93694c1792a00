#if Macros
    import Foundation
    import Strata
    import StrataInMemory
    import StrataTestSupport
    import Testing

    /// Objects without a context, which the guides recommend, took part in relationships only: no other operation was tried on them.
    @MainActor @Suite("Other operations on objects without a context")
    struct UnattachedOperationTests {
        private func context() throws -> ManagedObjectContext {
            let model = try ManagedObjectModel(classes: [Audit.self, Bill.self, Zone.self])
            return try PersistentContainer(model: model, stores: [StoreDescription(.inMemory)]).newContext()
        }

        @Test("A context passes over what is no object of its own")
        func passedOver() throws {
            let context = try context()
            let bill = Bill("a")
            context.delete(bill)
            context.refresh(bill, mergeChanges: true)
            context.refresh(bill, mergeChanges: false)
            context.detectConflicts(for: bill)
            try context.obtainPermanentIDs(for: [bill])
            #expect(bill.objectID.isTemporary)
            #expect(bill.number == "a")
            #expect(!context.hasChanges)
            #expect(context.registeredObject(for: bill.objectID) == nil)
            #expect(throws: StoreError.self) { try context.existingObject(with: bill.objectID) }
            try context.save()
            #expect(bill.managedObjectContext == nil)
        }

        @Test("Its state, its changes and its values can be asked for")
        func asked() throws {
            let bill = Bill("a")
            bill.lines = [BillLine("1"), BillLine("2")]
            #expect(!bill.isDeleted)
            #expect(!bill.isUpdated)
            #expect(!bill.isFault)
            _ = (
                bill.isInserted, bill.hasChanges, bill.hasPersistentChangedValues, bill.changedValues(),
                bill.hasFault(forRelationshipNamed: "lines")
            )
            _ = bill.committedValues(forKeys: nil)
            #expect(try bill.objectIDs(forRelationshipNamed: "lines") == bill.lines.map(\.objectID))
            #expect(bill.snapshot()[Bill.number] == "a")
            #expect(bill.snapshot()[Bill.payer] == nil)
            #expect(bill.snapshot().values["number"] == "a")
            bill.payer = Payer("p")
            #expect(bill.snapshot()[Bill.payer] == bill.payer?.objectID)
            #expect(try bill.primitiveValue(forKey: "number") as? String == "a")
            try bill.setPrimitiveValue("b", forKey: "number")
            #expect(bill.number == "b")
            #expect(bill.lastFaultError == nil)
            try bill.validateForInsert()
            try bill.validateForUpdate()
            try bill.validateForDelete()
            #expect(throws: StoreError.self) { try bill.setValue(3, forKey: "number") }
        }

        @Test("No stored object is equal to it in a query")
        func queried() throws {
            let context = try context()
            let (bill, payer) = (Bill("a"), Payer("p"))
            bill.payer = payer
            context.insert(Bill("c"))
            try context.save()
            #expect(try context.count(for: ObjectFetchRequest<Bill>(Bill.payer == payer)) == 0)
            #expect(try context.count(for: ObjectFetchRequest<Bill>(QueryPredicate(format: "SELF IN %@", [bill, Bill("d")]))) == 0)
            #expect(
                try context.count(for: ObjectFetchRequest<Bill>(QueryPredicate(format: "payer IN %@", [payer, bill] as [ManagedObject])))
                    == 0)
        }

        @Test("It is inserted once, undone and inserted again, and in a child")
        func inserted() throws {
            let context = try context()
            let undo = UndoManager()
            context.undoManager = undo
            let bill = Bill("a")
            bill.lines = [BillLine("1")]
            context.insert(bill)
            context.insert(bill)
            #expect(context.insertedObjects.count == 2)
            try context.processPendingChanges()
            try undo.undo()
            #expect(context.insertedObjects.isEmpty)
            try undo.redo()
            #expect(context.insertedObjects.count == 2)
            #expect(bill.lines.count == 1)
            let child = ManagedObjectContext(parent: context)
            let other = Bill("b")
            child.insert(other)
            other.lines.append(BillLine("2"))
            try child.save()
            try context.save()
            #expect(try context.count(for: ObjectFetchRequest<Bill>()) == 2)
            #expect(try context.count(for: ObjectFetchRequest<BillLine>()) == 2)
        }
    }
#endif
