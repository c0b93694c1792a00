import ArgumentParser
import BenchReports
import Dispatch
import Foundation
import Strata
import StrataBinary
import StrataInMemory
import StrataLMDB
import StrataSQLite
import StrataWorkload
import StrataXML

struct HistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "What a history costs its saves, and what reading it costs, on each store without a server."
    )

    @OptionGroup var events: EventOptions
    @OptionGroup var options: ReportOptions

    @Option(help: "Only these steps, separated by commas.")
    var steps: String?

    func run() throws { try ReportOutput.finish(try report(), options) }

    func report() throws -> Report {
        let directory = try WorkDirectory(in: options.work)
        defer { directory.remove() }
        let work = EventWork(count: events.count).events()
        var notes = ["participants in turn in one process, each first as often as last"]
        var tables: [ReportTable] = []
        for kind in HistoryKind.allCases {
            let all = kind.participants
            guard let chosen = try? options.chosen(all, name: \.name) else { continue }
            let measured = steps.map { names in HistoryStep.allCases.filter { names.split(separator: ",").contains(Substring($0.rawValue)) }
            }
            let steps = (measured ?? HistoryStep.allCases).filter { kind.includes($0) }
            var results = chosen.map { ParticipantResult(name: $0.name, kind: .strata, reference: all[0].name) }
            var sizes: [String: Int] = [:]
            for round in 0..<events.runs {
                // What is first in one round is last in another.
                for place in chosen.indices.map({ ($0 + round) % chosen.count }) {
                    let store = try directory.made("\(kind)-\(round)-\(place)")
                    let run = try HistoryRun(chosen[place], store.path, work)
                    for step in steps { results[place].add(Sample(step: step.rawValue, seconds: try run.measure(step))) }
                    sizes[chosen[place].name] = try run.bytes()
                }
            }
            let bytes = chosen.compactMap { participant in sizes[participant.name].map { "\(participant.name) \($0) bytes" } }
            if kind != .inMemory { notes.append("files: " + bytes.joined(separator: ", ")) }
            tables.append(ReportTable(title: kind.rawValue, steps: steps, participants: results))
        }
        return Report(
            .history, title: "Histories of \(Format.count(events.count)) events", facts: [EventsCommand.fact], notes: notes, tables: tables)
    }
}

/// A store with a history, or without one.
struct HistoryParticipant {
    let kind: HistoryKind
    let keepsHistory: Bool

    var name: String { "\(kind.rawValue) with\(keepsHistory ? "" : "out") a history" }

    func description(in directory: String) -> StoreDescription {
        var description =
            switch kind {
            case .sqlite: StoreDescription(.sqlite, path: directory + "/events.sqlite")
            case .lmdb: StoreDescription(.lmdb, path: directory + "/events.lmdb")
            case .binary: StoreDescription(.binary, path: directory + "/events.binary")
            case .xml: StoreDescription(.xml, path: directory + "/events.xml")
            case .inMemory: StoreDescription(.inMemory)
            }
        if keepsHistory { description.options.history = .unlimited }
        return description
    }
}

enum HistoryKind: String, CaseIterable {
    case sqlite = "SQLite"
    case lmdb = "LMDB"
    case inMemory = "in-memory"
    case binary = "binary"
    case xml = "XML"

    var participants: [HistoryParticipant] { [false, true].map { HistoryParticipant(kind: self, keepsHistory: $0) } }

    /// A store that is written whole is not for small saves, and has no other writer.
    func includes(_ step: HistoryStep) -> Bool {
        switch step {
        case .remote: self == .sqlite || self == .lmdb
        default: true
        }
    }
}

/// What is done with a history and without one.
enum HistoryStep: String, CaseIterable, ReportStep {
    case insert, update
    case read = "read changes"
    case singles = "single saves"
    case remote = "remote changes"
    case delete

    var explanation: String {
        switch self {
        case .insert: "make the objects and save them"
        case .update: "change two attributes of each object and save"
        case .read: "fetch all changes of the history; without one, all objects with their values"
        case .singles: "a hundred saves of one new object"
        case .remote: "from another coordinator's save of a hundred objects until its event"
        case .delete: "delete all objects and save"
        }
    }
}

/// One store through the steps, in their order.
final class HistoryRun {
    private let container: PersistentContainer
    private let description: StoreDescription
    private let directory: String
    private let events: [Event]
    private let model: ManagedObjectModel
    private static let singles = 100

    init(_ participant: HistoryParticipant, _ directory: String, _ events: [Event]) throws {
        (self.directory, self.events) = (directory, events)
        model = try EventObject.model()
        description = participant.description(in: directory)
        container = try PersistentContainer(model: model, stores: [description])
    }

    func measure(_ step: HistoryStep) throws -> Double {
        let context = ManagedObjectContext(container.coordinator)
        switch step {
        case .insert:
            return try timed {
                for event in events { EventObject(context: context).fill(event) }
                try context.save()
            }.seconds
        case .update:
            let objects = try context.fetch(ObjectFetchRequest<EventObject>())
            return try timed {
                for object in objects {
                    object[EventObject.rank] = object.rank + 1
                    object[EventObject.time] = object.time + 1
                }
                try context.save()
            }.seconds
        case .read:
            return try timed {
                guard description.options.history == nil else {
                    let count = try container.history.transactions(after: nil).reduce(0) { $0 + $1.changes.count }
                    return Answer(count: count)
                }
                var answer = Answer()
                for event in try context.fetch(ObjectFetchRequest<EventObject>()) { answer.add(event) }
                return answer
            }.seconds
        case .singles:
            return try timed {
                for event in events.prefix(HistoryRun.singles) {
                    EventObject(context: context).fill(event)
                    try context.save()
                }
            }.seconds
        case .remote: return try remote()
        case .delete:
            let objects = try context.fetch(ObjectFetchRequest<EventObject>())
            return try timed {
                for object in objects { context.delete(object) }
                try context.save()
            }.seconds
        }
    }

    private func remote() throws -> Double {
        var tracked = description
        tracked.options.postsRemoteChanges = true
        let listener = try PersistentContainer(model: model, stores: [tracked])
        let heard = DispatchSemaphore(value: 0)
        let subscription = listener.coordinator.observeSaves { event in if event.isRemote { heard.signal() } }
        // The first reading is over once a save is heard of.
        var seconds = 0.0
        for _ in 0..<2 {
            let context = ManagedObjectContext(container.coordinator)
            let objects = try context.fetch(ObjectFetchRequest<EventObject>(limit: HistoryRun.singles))
            for object in objects { object[EventObject.rank] = object.rank + 1 }
            seconds = try timed {
                try context.save()
                heard.wait()
            }.seconds
        }
        withExtendedLifetime(subscription) {}
        return seconds
    }

    /// The size of the files.
    func bytes() throws -> Int {
        for store in container.coordinator.stores { try container.coordinator.remove(store) }
        return try FileManager.default.subpathsOfDirectory(atPath: directory).reduce(0) { sum, name in
            sum + (try FileManager.default.attributesOfItem(atPath: directory + "/" + name)[.size] as? Int ?? 0)
        }
    }
}
