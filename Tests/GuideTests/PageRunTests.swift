#if Macros
    import Foundation
    import Strata
    import StrataTestSupport
    import Testing

    /// What the pages say of their code is what it does.
    @Suite("The code of pages does what they say", .timeLimit(.minutes(60)))
    struct PageRunTests {
        @Test("Getting started saves and finds objects", arguments: [TestStore.inMemory, .sqlite])
        @MainActor func gettingStarted(_ store: TestStore) async throws {
            let directory = try TemporaryDirectory()
            let container = try PersistentContainer(for: GettingStartedPage.Company.self, stores: [store.description(in: directory.path)])
            let context = container.viewContext
            try GettingStartedPage.insert(context)
            #expect(try await GettingStartedPage.background(container) == "Globex")
            try context.fetch(GettingStartedPage.Employee.self).first?.salary = 200_000
            try context.save()
            let found = try GettingStartedPage.fetch(context)
            #expect(found.rich.count == 1)
            #expect(found.count == 2)
            #expect(found.totals == 1)
            #expect(try GettingStartedPage.declared().entities.count == 2)
        }

        @Test("The program of the guides for users of other libraries runs", arguments: [TestStore.inMemory, .sqlite])
        @MainActor func comingFrom(_ store: TestStore) async throws {
            let directory = try TemporaryDirectory()
            let container = try PersistentContainer(for: ComingFromPages.Author.self, stores: [store.description(in: directory.path)])
            try await ComingFromPages.write(container)
            let context = container.viewContext
            #expect(try ComingFromPages.change(context) == ["Frankenstein"])
            #expect(try ComingFromPages.counts(context).count == 1)
            #expect(try await ComingFromPages.observe(context) == ["Frankenstein", "The Last Man"])
            #expect(try ComingFromPages.macro(context).map(\.year) == [1831])
            #expect(try ComingFromPages.format(context).map(\.title) == ["Frankenstein", "The Last Man"])
            #expect(try ComingFromPages.controller(context).sections?.count == 1)
            let id = try await ComingFromPages.Catalogue(container).add("Lodore", year: 1835)
            #expect(try context.existingObject(with: id, as: ComingFromPages.Book.self).title == "Lodore")
        }

        @Test("The index of the guide to performance serves its fetch", arguments: TestStore.allCases)
        func performance(_ store: TestStore) throws {
            let directory = try TemporaryDirectory()
            let container = try PersistentContainer(for: PerformancePage.Invoice.self, stores: [store.description(in: directory.path)])
            let context = container.newContext()
            let acme = PerformancePage.Customer(name: "Acme")
            for number in 0..<2_000 {
                let invoice = PerformancePage.Invoice(number: "N\(number)")
                invoice.total = Decimal(number) / 4
                if number.isMultiple(of: 100) { invoice.customer = acme }
                context.insert(invoice)
            }
            try context.save()
            let explanation = try PerformancePage.explain(acme, context)
            #expect(explanation.warnings.isEmpty)
            #expect(explanation.rowsRead <= 20)
            #expect(try context.fetch(PerformancePage.Invoice.self, where: PerformancePage.Invoice.cents == 125).map(\.total) == [1.25])
            try PerformancePage.prefetch(acme.invoices.map(\.objectID), container.newContext())
        }

        @Test("A half-open range finds the appointments of one day in a time zone", arguments: TestStore.allCases)
        func dates(_ store: TestStore) throws {
            let directory = try TemporaryDirectory()
            let container = try PersistentContainer(for: DatesPage.Appointment.self, stores: [store.description(in: directory.path)])
            let context = container.newContext()
            // 2026-03-29, on which clocks in Rome go forward: the day has 23 hours, and begins at 23:00 UTC.
            let midnight = try #require(ISO8601DateFormatter().date(from: "2026-03-28T23:00:00Z"))
            for hour in -1...24 {
                let appointment = DatesPage.Appointment(start: midnight.addingTimeInterval(Double(hour) * 3600))
                appointment.end = appointment.start.addingTimeInterval(hour == 0 ? 3600 : 3601)
                context.insert(appointment)
            }
            try context.save()
            let page = DatesPage()
            let rome = try #require(TimeZone(identifier: "Europe/Rome"))
            #expect(try page.appointments(on: midnight, in: rome, context).count == 23)
            for condition in try page.conditions(midnight, midnight.addingTimeInterval(23 * 3600)) {
                #expect(try context.count(DatesPage.Appointment.self, where: condition) == 23)
            }
            #expect(try context.count(DatesPage.Appointment.self, where: page.long()) == 25)
            #expect(try page.days(context).count == 3)
            #expect(throws: QueryError.self) {
                try context.fetch(DatesPage.Appointment.self, where: QueryPredicate(format: "start == %@", "2026-03-29"))
            }
        }
    }
#endif
