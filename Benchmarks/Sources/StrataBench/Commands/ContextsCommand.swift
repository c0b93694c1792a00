import ArgumentParser
import BenchReports
import Foundation
import Strata
import StrataInMemory
import StrataWorkload

struct ContextsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "contexts",
        abstract:
            "Saving a child context to its parent, beside saving the same objects to a store; contexts that have much; fetched results, merging, undo, orders."
    )

    @OptionGroup var events: EventOptions
    @OptionGroup var options: ReportOptions

    func run() throws { try ReportOutput.finish(try report(), options) }

    func report() throws -> Report {
        let work = EventWork(count: events.count).events()
        let participants = [(name: ContextSave.storeName, isChild: false), (name: ContextSave.childName, isChild: true)]
        var results = participants.map { ParticipantResult(name: $0.name, kind: .strata, reference: ContextSave.storeName) }
        for _ in 0..<events.runs {
            for (place, participant) in participants.enumerated() {
                for step in ContextSave.Step.allCases {
                    let save = try ContextSave(isChild: participant.isChild)
                    try save.prepare(step, work)
                    let seconds = try timed { try save.context.save() }.seconds
                    results[place].add(Sample(step: step.rawValue, seconds: seconds))
                }
            }
        }
        let table = ReportTable(title: "contexts", steps: ContextSave.Step.allCases, participants: results)
        let scale = try ContextScale.measure(events.count, runs: events.runs)
        let uses = try ContextUses.measure(events.count, runs: events.runs)
        return Report(
            .contexts,
            title: "Saving \(Format.count(events.count)) events",
            facts: ["the save alone, not what is made before it; in a context, what a step is about alone"],
            notes: ["participants in turn in one process"],
            tables: [table, scale, uses]
        )
    }
}

/// A context with changes to save: over an in-memory store, or to a parent over one.
struct ContextSave {
    static let storeName = "in-memory store"
    static let childName = "child context"

    enum Step: String, CaseIterable, ReportStep {
        case insert
        case related = "insert related"
        case update

        var explanation: String {
            switch self {
            case .insert: "save new objects"
            case .related: "save new objects, each related to one of a hundred"
            case .update: "save objects of each of which one attribute was changed"
            }
        }
    }

    let context: ManagedObjectContext
    private let parent: ManagedObjectContext?
    private let container: PersistentContainer

    init(isChild: Bool) throws {
        container = try PersistentContainer(model: EventDays.model(), stores: [StoreDescription(.inMemory)])
        let base = ManagedObjectContext(container.coordinator)
        parent = isChild ? base : nil
        context = isChild ? ManagedObjectContext(parent: base) : base
    }

    func prepare(_ step: Step, _ events: [Event]) throws {
        if step != .update { return try insert(events, areRelated: step == .related) }
        try insert(events, areRelated: false)
        context.retainsRegisteredObjects = true
        try context.save()
        try parent?.save()
        for object in try context.fetch(ObjectFetchRequest<EventObject>()) { object[EventObject.rank] = object.rank + 1 }
    }

    private func insert(_ events: [Event], areRelated: Bool) throws {
        let days = areRelated ? try (0..<100).map { _ in try context.insert("Day") } : []
        for (place, event) in events.enumerated() {
            let object = EventObject(context: context)
            object.fill(event)
            if areRelated { try object.setValue(days[place % days.count], forKey: "day") }
        }
    }
}
