#if Macros
    import Foundation
    import Strata

    /// The code of the guide "Dates and time zones in queries".
    struct DatesPage {
        @Model final class Appointment: ManagedObject {
            #Index<Appointment>([\.start])

            var start: Date
            var end: Date?
            var zone: String = "UTC"
            init(start: Date) { self.start = start }
        }

        func appointments(on date: Date, in zone: TimeZone, _ context: ManagedObjectContext) throws -> [Appointment] {
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = zone
            let day = calendar.startOfDay(for: date)
            guard let next = calendar.date(byAdding: .day, value: 1, to: day) else { return [] }
            return try context.fetch(
                Appointment.self, where: Appointment.start >= day && Appointment.start < next, sort: [Appointment.start.ascending])
        }

        func conditions(_ day: Date, _ next: Date) throws -> [QueryPredicate] {
            let macro = try QueryPredicate(#Predicate<Appointment> { $0.start >= day && $0.start < next })
            let text = try QueryPredicate(format: "start >= %@ AND start < %@", day, next)
            return [macro, text]
        }

        func recent(_ context: ManagedObjectContext) throws -> [Appointment] {
            let recent = try context.fetch(Appointment.self, where: Appointment.start > Date.now.addingTimeInterval(-7 * 86_400))
            return recent
        }

        func long() throws -> QueryPredicate {
            let long = try QueryPredicate(format: "end > start + 3600")
            return long
        }

        func days(_ context: ManagedObjectContext) throws -> [FetchedDictionary] {
            let year = try QueryExpression(format: "year:in:(start, \"Europe/Rome\")").named("year")
            let day = Appointment.start.part(.dayOfYear, in: "Europe/Rome").expression.named("day")
            let counts = try context.fetchDictionaries(ObjectFetchRequest<Appointment>().grouped(by: [year, day], computing: [.count()]))
            return counts
        }
    }
#endif
