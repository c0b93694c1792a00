import ArgumentParser
import Foundation
import Strata
import StrataInMemory
import StrataWorkload

struct ObservationCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "observation",
        abstract: "Saving objects to the in-memory store while somebody listens, or follows a hundred queries that it cannot affect."
    )

    @OptionGroup var events: EventOptions
    @OptionGroup var options: ReportOptions

    /// Who follows the context that saves.
    private enum Followers: String, CaseIterable {
        case nobody = "nobody listens"
        case listener = "a listener"
        case others = "100 queries of another entity"
        case properties = "100 queries of other properties"
    }

    func run() throws {
        let work = EventWork(count: events.count).events()
        // What queries cost comes on top of what collecting the changes costs, once for all who listen.
        var results = Followers.allCases.map { followers in
            let isListener = followers == .nobody || followers == .listener
            return ParticipantResult(
                name: followers.rawValue, kind: .strata, reference: (isListener ? Followers.nobody : .listener).rawValue)
        }
        for _ in 0..<events.runs {
            for (place, followers) in Followers.allCases.enumerated() {
                for step in ["insert", "update"] {
                    let seconds = try Self.measure(followers, updating: step == "update", work)
                    results[place].add(Sample(step: step, seconds: seconds, peakBytes: 0, keptBytes: 0, answer: nil))
                }
            }
        }
        var table = ReportTable(title: "observation", steps: ["insert", "update"], participants: results)
        table.explanations["insert"] = "make new objects and save them"
        table.explanations["update"] = "change one attribute of each object and save"
        let reaches = results.dropFirst(2).flatMap { result in
            ["insert", "update"].filter { $0 == "update" || result.name == Followers.others.rawValue }.compactMap { step in
                table.ratio(step, of: result).map {
                    ReachResult(participant: result.name, work: step, reference: Followers.listener.rawValue, ratio: $0, atMost: 1.01)
                }
            }
        }
        let report = Report(
            title: "Following \(Format.count(events.count)) events",
            facts: ["the changes and their save", "a listener alone shows what collecting changes costs"],
            notes: ["medians of \(events.runs), participants in turn in one process"],
            tables: [table],
            reaches: Array(reaches)
        )
        try ReportOutput.finish(report, options)
    }

    private static func measure(_ followers: Followers, updating: Bool, _ events: [Event]) throws -> Double {
        let model = try ManagedObjectModel {
            Entity("Event", class: EventObject.self) { for part in EventObject.attributes { part } }
            Entity("Day") { Attribute("name", .string) }
        }
        let container = try PersistentContainer(model: model, stores: [StoreDescription(.inMemory)])
        let context = ManagedObjectContext(container.coordinator)
        context.retainsRegisteredObjects = true
        if updating {
            for event in events { EventObject(context: context).fill(event) }
            try context.save()
        }
        var controllers: [FetchedResultsController<ManagedObject>] = []
        var subscription: ContextEventSubscription?
        for number in 0..<(followers == .others || followers == .properties ? 100 : 0) {
            let request =
                followers == .others
                ? ObjectFetchRequest<ManagedObject>(entityName: "Day", key("name") == .string("\(number)"), sort: [QuerySort("name")])
                : ObjectFetchRequest<ManagedObject>(entityName: "Event", EventObject.title == "none \(number)", sort: [QuerySort("title")])
            let controller = FetchedResultsController(request, context: context)
            try controller.performFetch()
            controllers.append(controller)
        }
        if followers != .nobody { subscription = context.observeEvents { _ in } }
        let objects = updating ? try context.fetch(ObjectFetchRequest<EventObject>()) : []
        let clock = ContinuousClock()
        let start = clock.now
        if updating {
            for object in objects { object[EventObject.rank] = object.rank + 1 }
        } else {
            for event in events { EventObject(context: context).fill(event) }
        }
        try context.save()
        let seconds = (clock.now - start) / .seconds(1)
        withExtendedLifetime((controllers, subscription)) {}
        return seconds
    }
}
