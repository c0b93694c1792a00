#if Macros
    import Foundation
    import Strata

    /// The code of the guide "Performance tuning".
    enum PerformancePage {
        @Model final class Invoice: ManagedObject {
            #Index<Invoice>([\.number], [\.customer, \.issued], [\.cents])

            var number: String
            var issued: Date = Date()
            var cents: Int = 0
            var customer: Customer?
            init(number: String) { self.number = number }
        }

        @Model final class Customer: ManagedObject {
            var name: String
            @Relationship(inverse: \Invoice.customer) var invoices: [Invoice] = []
            init(name: String) { self.name = name }
        }

        static func explain(_ acme: Customer, _ context: ManagedObjectContext) throws -> QueryExplanation {
            let request = ObjectFetchRequest<Invoice>(Invoice.customer == acme, sort: [Invoice.issued.descending], limit: 10)
            let explanation = try context.explain(request)
            print(explanation)
            for warning in explanation.warnings { print(warning) }
            return explanation
        }

        static func diagnose(_ ids: [ObjectID], _ context: ManagedObjectContext) throws {
            context.forgetFaultingDiagnostics()
            for id in ids { print(try context.existingObject(with: id, as: Invoice.self).customer?.name ?? "") }
            for diagnostic in context.faultingDiagnostics { print(diagnostic) }
        }

        static func prefetch(_ ids: [ObjectID], _ context: ManagedObjectContext) throws {
            var all = try ObjectFetchRequest<Invoice>(QueryPredicate(format: "SELF IN %@", ids))
            all.relationshipKeyPathsForPrefetching = ["customer"]
            for invoice in try context.fetch(all) { print(invoice.customer?.name ?? "") }
        }
    }

    private typealias Invoice = PerformancePage.Invoice

    extension Invoice {
        var total: Decimal {
            get { Decimal(cents) / 100 }
            set { cents = NSDecimalNumber(decimal: newValue * 100).intValue }
        }
    }
#endif
