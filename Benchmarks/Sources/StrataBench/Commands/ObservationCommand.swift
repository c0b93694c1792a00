import ArgumentParser
import BenchReports
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

    func run() throws { try ReportOutput.finish(try report(), options) }

    func report() throws -> Report {
        let work = EventWork(count: events.count).events()
        var results = Followers.allCases.map { followers in
            ParticipantResult(name: followers.rawValue, kind: .strata, reference: followers.reference.rawValue)
        }
        for step in ObservationStep.allCases {
            let turns = try Turns(work, step)
            // What is first in one round is last in another.
            for round in 0..<events.runs {
                for turn in Followers.allCases.indices {
                    let place = (round + turn) % Followers.allCases.count
                    let seconds = try turns.measure(Followers.allCases[place])
                    results[place].add(Sample(step: step.rawValue, seconds: seconds))
                }
            }
        }
        return Report(
            .observation,
            title: "Following \(Format.count(events.count)) events",
            facts: ["the changes and their save, in one context for all", "what is changed is collected once for all who hear of it"],
            notes: ["participants in turn in one process, each first as often as last"],
            tables: [ReportTable(title: "observation", steps: ObservationStep.allCases, participants: results)]
        )
    }

    /// One context that all take turns in, so that nothing differs but who follows it.
    private struct Turns {
        private let events: [Event]
        private let step: ObservationStep
        private let container: PersistentContainer
        private let context: ManagedObjectContext
        private let objects: [EventObject]

        init(_ events: [Event], _ step: ObservationStep) throws {
            (self.events, self.step) = (events, step)
            let model = try ManagedObjectModel {
                Entity("Event", class: EventObject.self) { for part in EventObject.attributes { part } }
                Entity("Day") { Attribute("name", .string) }
            }
            container = try PersistentContainer(model: model, stores: [StoreDescription(.inMemory)])
            let context = ManagedObjectContext(container.coordinator)
            self.context = context
            objects =
                step == .insert
                ? []
                : events.map { event in
                    let object = EventObject(context: context)
                    object.fill(event)
                    return object
                }
            try context.save()
        }

        func measure(_ followers: Followers) throws -> Double {
            let controllers = try (0..<followers.queries).map { try controller($0, followers) }
            let subscription = followers == .listener ? context.observeEvents { _ in } : nil
            // The first queries leave nothing of the objects in the processor's caches.
            _ = try changeAndSave()
            let seconds = try changeAndSave()
            withExtendedLifetime((controllers, subscription)) {}
            return seconds
        }

        private func changeAndSave() throws -> Double {
            let seconds = try timed {
                switch step {
                case .insert: for event in events { EventObject(context: context).fill(event) }
                case .update: for object in objects { object[EventObject.rank] = object.rank + 1 }
                }
                try context.save()
            }.seconds
            if step == .insert { try context.execute(BatchDeleteRequest(fetchRequest: ObjectFetchRequest<EventObject>())) }
            return seconds
        }

        private func controller(_ number: Int, _ followers: Followers) throws -> FetchedResultsController<ManagedObject> {
            let request =
                followers == .others
                ? ObjectFetchRequest<ManagedObject>(entityName: "Day", key("name") == .string("\(number)"), sort: [QuerySort("name")])
                : ObjectFetchRequest<ManagedObject>(
                    entityName: "Event", EventObject.title == "none \(number)", sort: [QuerySort("title")])
            let controller = FetchedResultsController(request, context: context)
            try controller.performFetch()
            return controller
        }
    }
}

/// Who follows the context that saves.
enum Followers: String, CaseIterable {
    case nobody = "nobody listens"
    case listener = "a listener"
    case others = "100 queries of another entity"
    case property = "a query of other properties"
    case properties = "100 queries of other properties"

    /// Who is there anyway: what is changed is collected once for all who hear of it.
    var reference: Followers { self == .properties ? .property : .nobody }

    var queries: Int {
        switch self {
        case .nobody, .listener: 0
        case .property: 1
        case .others, .properties: 100
        }
    }
}

/// What is done while they follow.
enum ObservationStep: String, CaseIterable, ReportStep {
    case insert, update

    var explanation: String {
        switch self {
        case .insert: "make new objects and save them"
        case .update: "change one attribute of each object and save"
        }
    }
}
