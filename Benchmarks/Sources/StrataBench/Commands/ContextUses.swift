import BenchReports
import Foundation
import Strata
import StrataInMemory
import StrataWorkload

/// What else applications do in a context, over a store in memory: there is nothing to compare it with but earlier versions.
struct ContextUses {
    static let name = "a context"

    enum Step: String, CaseIterable, ReportStep {
        case results = "fetched results"
        case merge = "merge a save"
        case undo
        case ordered = "ordered relationship"

        var explanation: String {
            switch self {
            case .results: "change the sort key of one object of a fetched results controller, 100 times, which sends the moves"
            case .merge: "merge another context's save of all objects, and read an attribute of each again"
            case .undo: "undo and redo a change of one attribute of each object"
            case .ordered: "append all objects to an ordered relationship, move 100 of them to its start, and save"
            }
        }
    }

    private let context: ManagedObjectContext
    private let other: ManagedObjectContext
    private let day: ManagedObject
    private let objects: [EventObject]
    private let container: PersistentContainer

    private init(_ events: [Event]) throws {
        let model = try ManagedObjectModel {
            Entity("Event", class: EventObject.self) {
                for part in EventObject.attributes { part }
                Relationship("day", to: "Day", inverse: "events")
            }
            Entity("Day") { Relationship("events", to: "Event", inverse: "day", .ordered) }
        }
        container = try PersistentContainer(model: model, stores: [StoreDescription(.inMemory)])
        let context = ManagedObjectContext(container.coordinator)
        context.retainsRegisteredObjects = true
        self.context = context
        other = ManagedObjectContext(container.coordinator)
        day = try context.insert("Day")
        objects = events.map { event in
            let object = EventObject(context: context)
            object.fill(event)
            return object
        }
        try context.save()
    }

    /// Does a step; returns the seconds of what it is about.
    private func run(_ step: Step) throws -> Double {
        switch step {
        case .results: try changeResults()
        case .merge: try merge()
        case .undo: try undo()
        case .ordered: try order()
        }
    }

    private func changeResults() throws -> Double {
        let controller = FetchedResultsController(ObjectFetchRequest<EventObject>(sort: [QuerySort("rank")]), context: context)
        var changes = 0
        controller.onChange = { _ in changes += 1 }
        try controller.performFetch()
        let seconds = try timed {
            for (index, object) in objects.prefix(100).enumerated() {
                object[EventObject.rank] = Int64(index * 1_000)
                try context.processPendingChanges()
            }
        }.seconds
        withExtendedLifetime(controller) {}
        return seconds
    }

    private func merge() throws -> Double {
        for object in try other.fetch(ObjectFetchRequest<EventObject>()) { object[EventObject.bucket] = object.bucket + 1 }
        try other.save()
        var sum: Int64 = 0
        let seconds = timed {
            context.mergeChanges(fromRemoteContextSave: [.updated: objects.map(\.objectID)])
            for object in objects { sum &+= object.bucket }
        }.seconds
        withExtendedLifetime(sum) {}
        return seconds
    }

    private func undo() throws -> Double {
        context.undoManager = UndoManager()
        for object in objects { object[EventObject.bucket] = object.bucket + 1 }
        try context.processPendingChanges()
        let seconds = try timed {
            try context.undo()
            try context.redo()
        }.seconds
        context.undoManager = nil
        context.rollback()
        return seconds
    }

    private func order() throws -> Double {
        try timed {
            let members = try day.mutableOrderedSetValue(forKey: "events")
            for object in objects { members.append(object) }
            for index in 0..<min(100, objects.count) { members.move(from: objects.count - 1 - index, to: 0) }
            try context.save()
        }.seconds
    }

    /// Measures all steps.
    static func measure(_ count: Int, runs: Int) throws -> ReportTable {
        let events = EventWork(count: count).events()
        var result = ParticipantResult(name: name, kind: .strata, reference: name)
        for _ in 0..<runs {
            let uses = try ContextUses(events)
            for step in Step.allCases { result.add(Sample(step: step.rawValue, seconds: try uses.run(step))) }
        }
        return ReportTable(title: "in a context", steps: Step.allCases, participants: [result])
    }
}
