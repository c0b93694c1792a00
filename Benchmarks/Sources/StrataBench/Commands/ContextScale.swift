import BenchReports
import Foundation
import Strata
import StrataInMemory
import StrataWorkload

/// What links and saves cost in a context that has much, beside one that has little: the same, where the work goes by what is changed.
struct ContextScale {
    static let fewName = "100 here"
    static let manyName = "many here"

    enum Step: String, CaseIterable, ReportStep {
        case link = "link 1,000"
        case unlink = "unlink 1,000"
        case save = "100 saves of one"

        var explanation: String {
            switch self {
            case .link: "give objects an owner whose members are all loaded"
            case .unlink: "take them from it again"
            case .save: "change an attribute of one object, and save, each time"
            }
        }
    }

    private let context: ManagedObjectContext
    private let day: ManagedObject
    private let members: [EventObject]
    private let others: [EventObject]
    private let container: PersistentContainer

    /// - Parameter count: How many objects are in the context, all of them members of one owner.
    private init(count: Int) throws {
        container = try PersistentContainer(model: EventDays.model(), stores: [StoreDescription(.inMemory)])
        let context = ManagedObjectContext(container.coordinator)
        context.retainsRegisteredObjects = true
        self.context = context
        day = try context.insert("Day")
        func objects(_ count: Int) -> [EventObject] {
            EventWork(count: count).events().map { event in
                let object = EventObject(context: context)
                object.fill(event)
                return object
            }
        }
        members = objects(count)
        others = objects(1000)
        for member in members { member[EventDays.day] = day }
        try context.save()
        _ = day[EventDays.events].count
    }

    private func run(_ step: Step) throws {
        switch step {
        case .link: for event in others { event[EventDays.day] = day }
        case .unlink: for event in others { event[EventDays.day] = nil }
        case .save:
            for event in members.prefix(100) {
                event[EventObject.rank] = event.rank + 1
                try context.save()
            }
        }
    }

    /// Measures all steps with few and with many objects.
    static func measure(_ count: Int, runs: Int) throws -> ReportTable {
        let counts = [100, count]
        var results = [fewName, manyName].map { ParticipantResult(name: $0, kind: .strata, reference: fewName) }
        for _ in 0..<runs {
            for (place, count) in counts.enumerated() {
                let scale = try ContextScale(count: count)
                for step in Step.allCases {
                    let seconds = try timed { try scale.run(step) }.seconds
                    results[place].add(Sample(step: step.rawValue, seconds: seconds))
                }
            }
        }
        return ReportTable(title: "100 or \(Format.count(count)) here", steps: Step.allCases, participants: results)
    }
}

/// Events, and days that they are on.
enum EventDays {
    static let day = ToOne<ManagedObject>("day")
    static let events = ToMany<ManagedObject>("events")

    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Event", class: EventObject.self) {
                for part in EventObject.attributes { part }
                Relationship("day", to: "Day", inverse: "events")
            }
            Entity("Day") { Relationship("events", to: "Event", inverse: "day", .toMany) }
        }
    }
}
