#if Macros
    import Foundation
    import Strata

    /// The code of the guide "Reports of money and time".
    struct ReportsPage {
        @Model final class Payment: ManagedObject {
            #Index<Payment>([\.paid])

            var amount: Decimal = 0
            var quantity: Int = 1
            var paid: Date
            @Attribute(.generated(.sequence)) var number: Int?
            @Attribute(.generated(.uuidV7)) var key: UUID?
            init(paid: Date) { self.paid = paid }
        }

        func months(_ context: ManagedObjectContext) throws -> [FetchedDictionary] {
            let month = Payment.paid.part(.month, in: "Europe/Rome").expression.named("month")
            let year = Payment.paid.part(.year, in: "Europe/Rome").expression.named("year")
            let report = try context.fetchDictionaries(
                ObjectFetchRequest<Payment>().grouped(by: [year, month], computing: [.sum("amount"), .count()]))
            return report
        }

        func totals(_ context: ManagedObjectContext) throws -> [FetchedDictionary] {
            let product = try QueryExpression(format: "amount * quantity")
            let total = ExpressionDescription(name: "total", expression: .function(.sum, [product]))
            let totals = try context.fetchDictionaries(ObjectFetchRequest<Payment>().grouped(computing: [total]))
            return totals
        }

        func found(_ context: ManagedObjectContext) throws -> ([Payment], QueryPredicate) {
            let evenings = try context.fetch(Payment.self, where: Payment.paid.part(.hour, in: "Europe/Rome") >= 18)
            let mondays = try QueryPredicate(format: "weekday:in:(paid, %@) == 2", "Europe/Rome")
            return (evenings, mondays)
        }

        func key(_ context: ManagedObjectContext) {
            let payment = Payment(context: context)
            payment.paid = .now
            print(payment.number ?? 0)
        }
    }
#endif
