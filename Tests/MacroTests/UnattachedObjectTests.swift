#if Macros
    import Strata
    import StrataInMemory
    import StrataTestSupport
    import Testing

    /// No class reaches it, and its entity comes before the others.
    @Model final class Audit: ManagedObject {
        var text: String
        init(_ text: String) { self.text = text }
    }
    /// No class reaches it, and its entity comes after the others.
    @Model final class Zone: ManagedObject {
        var text: String = ""
    }
    @Model final class Bill: ManagedObject {
        var number: String
        var payer: Payer?
        @Relationship(.ordered, deleteRule: .cascade, inverse: \BillLine.invoice) var lines: [BillLine] = []
        @Relationship(inverse: \BillLabel.invoices) var labels: Set<BillLabel> = []
        init(_ number: String) { self.number = number }
    }
    @Model final class BillLine: ManagedObject {
        var text: String
        var invoice: Bill?
        init(_ text: String) { self.text = text }
    }
    @Model final class BillLabel: ManagedObject {
        var name: String
        var invoices: Set<Bill> = []
        init(_ name: String) { self.name = name }
    }
    @Model final class Payer: ManagedObject {
        var name: String
        @Relationship(inverse: \Bill.payer) var invoices: Set<Bill> = []
        init(_ name: String) { self.name = name }
    }

    /// Relating an object that was made without a context ended the process, or set another property: the entity and property indexes of the
    /// class's own model were used in the context's model.
    @MainActor @Suite("Objects without a context and models with more entities")
    struct UnattachedObjectTests {
        enum Way: CaseIterable { case accessor, key, mutableSet }
        enum End: String, CaseIterable { case payer, invoices, lines, invoice, labels, labeled }
        enum Unattached: CaseIterable { case owner, destination, both }

        nonisolated static let models: [[ManagedObject.Type]] = [
            [Bill.self], [Audit.self, Bill.self], [Bill.self, Audit.self, Zone.self], [Payer.self, Audit.self],
        ]

        private func context(_ classes: [ManagedObject.Type]) throws -> ManagedObjectContext {
            let model = try ManagedObjectModel(classes: classes)
            return try PersistentContainer(model: model, stores: [StoreDescription(.inMemory)]).newContext()
        }

        /// Relates two new objects, and returns how many objects each end has, and the others by name.
        private func relate(_ end: End, _ way: Way, _ ends: (owner: ManagedObject, destination: ManagedObject)) throws {
            switch (end, ends.owner, ends.destination) {
            case (.payer, let invoice as Bill, let payer as Payer):
                if way == .accessor { invoice.payer = payer } else { try invoice.setValue(payer, forKey: "payer") }
            case (.invoice, let line as BillLine, let invoice as Bill):
                if way == .accessor { line.invoice = invoice } else { try line.setValue(invoice, forKey: "invoice") }
            case (.invoices, let payer as Payer, let invoice as Bill):
                switch way {
                case .accessor: payer.invoices = [invoice]
                case .key: try payer.setValue([invoice], forKey: "invoices")
                case .mutableSet: try payer.mutableSetValue(forKey: "invoices").insert(invoice)
                }
            case (.lines, let invoice as Bill, let line as BillLine):
                switch way {
                case .accessor: invoice.lines.append(line)
                case .key: try invoice.setValue([line], forKey: "lines")
                case .mutableSet: try invoice.mutableOrderedSetValue(forKey: "lines").insert(line, at: 0)
                }
            case (.labels, let invoice as Bill, let label as BillLabel):
                switch way {
                case .accessor: invoice.labels.insert(label)
                case .key: try invoice.setValue([label], forKey: "labels")
                case .mutableSet: try invoice.mutableSetValue(forKey: "labels").insert(label)
                }
            case (.labeled, let label as BillLabel, let invoice as Bill):
                switch way {
                case .accessor: label.invoices = [invoice]
                case .key: try label.setValue([invoice], forKey: "invoices")
                case .mutableSet: try label.mutableSetValue(forKey: "invoices").insert(invoice)
                }
            default: Issue.record("\(end) of \(type(of: ends.owner))")
            }
        }

        private func newEnds(_ end: End) -> (owner: ManagedObject, destination: ManagedObject) {
            switch end {
            case .payer: (Bill("a"), Payer("p"))
            case .invoices: (Payer("p"), Bill("a"))
            case .lines: (Bill("a"), BillLine("l"))
            case .invoice: (BillLine("l"), Bill("a"))
            case .labels: (Bill("a"), BillLabel("x"))
            case .labeled: (BillLabel("x"), Bill("a"))
            }
        }

        private func inverse(_ end: End) -> (key: String, inverse: String) {
            switch end {
            case .payer: ("payer", "invoices")
            case .invoices: ("invoices", "payer")
            case .lines: ("lines", "invoice")
            case .invoice: ("invoice", "lines")
            case .labels: ("labels", "invoices")
            case .labeled: ("invoices", "labels")
            }
        }

        @Test(
            "are related from either end, in every way, in a context or its child",
            arguments: End.allCases, Array(models.indices))
        func matrix(_ end: End, _ model: Int) throws {
            for way in Way.allCases {
                for unattached in Unattached.allCases {
                    for isChild in [false, true] {
                        let what = Comment(rawValue: "\(end) \(way) \(unattached) \(isChild)")
                        let parent = try context(Self.models[model])
                        let context = isChild ? ManagedObjectContext(parent: parent) : parent
                        let ends = newEnds(end)
                        if unattached == .owner { context.insert(ends.destination) }
                        if unattached == .destination { context.insert(ends.owner) }
                        try relate(end, way, ends)
                        if unattached == .both {
                            #expect(ends.owner.managedObjectContext == nil, what)
                            #expect(ends.owner.description.isEmpty == false, what)
                            #expect(ends.destination.description.isEmpty == false, what)
                            context.insert(ends.owner)
                        }
                        #expect(context.lastFaultError == nil, what)
                        #expect(ends.owner.managedObjectContext === context, what)
                        #expect(ends.destination.managedObjectContext === context, what)
                        let keys = inverse(end)
                        #expect(try ends.owner.objectIDs(forRelationshipNamed: keys.key) == [ends.destination.objectID], what)
                        #expect(try ends.destination.objectIDs(forRelationshipNamed: keys.inverse) == [ends.owner.objectID], what)
                        try context.save()
                        if isChild { try parent.save() }
                        #expect(try ends.owner.objectIDs(forRelationshipNamed: keys.key).count == 1, what)
                        #expect(try parent.count(for: ObjectFetchRequest<Bill>()) == 1, what)
                    }
                }
            }
        }

        @Test("have values, a description and validation before and after they are inserted")
        func values() throws {
            let invoice = Bill("a")
            #expect(try invoice.value(forKey: "number") as? String == "a")
            #expect(try invoice.value(forKey: "payer") == nil)
            #expect(try invoice.value(forKey: "lines") as? [ManagedObject] == [])
            #expect(throws: StoreError.self) { try invoice.value(forKey: "text") }
            try invoice.setValue("b", forKey: "number")
            let lines = try invoice.mutableOrderedSetValue(forKey: "lines")
            lines.append(BillLine("1"))
            let context = try context([Audit.self, Bill.self, Zone.self])
            try invoice.validateForInsert()
            context.insert(invoice)
            // Made before the insertion, it changes the same relationship afterwards.
            lines.append(BillLine("2"))
            #expect(invoice.lines.map(\.text) == ["1", "2"])
            #expect(invoice.number == "b")
            #expect(invoice.lines.allSatisfy { $0.invoice === invoice && $0.isInserted })
            try invoice.validateForInsert()
            try context.save()
        }

        @Test("are refused with a typed error where the model has no entity of the class")
        func foreign() throws {
            let context = try context([Bill.self])
            context.insert(Audit("x"))
            #expect((context.lastFaultError as? StoreError)?.code == .unknownEntity)
            let error = #expect(throws: StoreError.self) { try context.save() }
            #expect(error?.code == .unknownEntity)
            #expect(error?.entity == "Audit")
            try context.save()
            // All of what is related, or nothing of it.
            let small = try self.context([Audit.self])
            let invoice = Bill("a")
            invoice.payer = Payer("p")
            small.insert(invoice)
            #expect(invoice.managedObjectContext == nil)
            #expect(invoice.payer?.managedObjectContext == nil)
            #expect(small.insertedObjects.isEmpty)
            #expect(throws: StoreError.self) { try small.save() }
            context.insert(invoice)
            try context.save()
            #expect(invoice.payer?.name == "p")
        }

        @Test("are refused with a typed error where another context has them, or what they reference")
        func otherContext() throws {
            let (context, other) = (try context([Bill.self]), try context([Bill.self]))
            let payer = Payer("p")
            other.insert(payer)
            context.insert(payer)
            var error = #expect(throws: StoreError.self) { try context.save() }
            #expect(error?.code == .wrongValue)
            #expect(payer.managedObjectContext === other)
            let (invoice, second) = (Bill("a"), Payer("q"))
            invoice.payer = second
            other.insert(second)
            context.insert(invoice)
            #expect(invoice.managedObjectContext == nil)
            #expect(context.insertedObjects.isEmpty)
            error = #expect(throws: StoreError.self) { try context.save() }
            #expect(error?.code == .wrongValue)
            #expect(error?.key == "payer")
            try other.save()
        }
    }
#endif
