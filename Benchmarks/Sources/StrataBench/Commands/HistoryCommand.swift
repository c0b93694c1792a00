import ArgumentParser
import BenchReports
import DebianArchive
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

    @Option(help: "The package index to import; the bundled sample by default.")
    var archive: String?

    func run() throws { try ReportOutput.finish(try report(), options) }

    func report() throws -> Report {
        let directory = try WorkDirectory(in: options.work)
        defer { directory.remove() }
        let work = HistoryWork(
            events: EventWork(count: events.count).events(),
            archive: Dataset(try (archive.map { .file($0) } ?? ArchiveSource.sample).read { _ in }.stanzas))
        var notes = ["processor time of all threads; participants in turn in one process, each first as often as last in each step"]
        var tables: [ReportTable] = []
        for kind in HistoryKind.allCases {
            let all = kind.participants
            guard let chosen = try? options.chosen(all, name: \.name) else { continue }
            let named = steps?.split(separator: ",").map(String.init)
            let steps = HistoryStep.allCases.filter { kind.includes($0) && named?.contains($0.rawValue) != false }
            var results = chosen.map { ParticipantResult(name: $0.name, kind: .strata, reference: all[0].name) }
            var sizes: [String: Int] = [:]
            for round in 0..<events.runs {
                var runs = try chosen.indices.map { try HistoryRun(chosen[$0], directory.made("\(kind)-\(round)-\($0)").path, work) }
                for step in steps {
                    // What is first in one round is last in another.
                    for index in chosen.indices.map({ ($0 + round) % chosen.count }) {
                        results[index].add(Sample(step: step.rawValue, seconds: try runs[index].measure(step)))
                    }
                    if step == .insert && kind != .inMemory {
                        for index in chosen.indices { sizes[chosen[index].name] = try runs[index].reopen() }
                    }
                }
                runs = []
            }
            let base = sizes[all[0].name].map(Double.init)
            let bytes = chosen.compactMap { participant in
                sizes[participant.name].map { size in
                    "\(participant.name) \(size) bytes" + (base.map { " (\(String(format: "%.4f×", Double(size) / $0)))" } ?? "")
                }
            }
            if !bytes.isEmpty { notes.append("files after the insertion: " + bytes.joined(separator: ", ")) }
            tables.append(ReportTable(title: kind.rawValue, steps: steps, participants: results))
        }
        return Report(
            .history, title: "Histories of \(Format.count(events.count)) events", facts: [EventsCommand.fact], notes: notes, tables: tables)
    }
}

/// A store with a history, or without one.
struct HistoryParticipant {
    enum History {
        case none, own
        /// In Core Data's tables.
        case coreData
    }

    let kind: HistoryKind
    let history: History

    var name: String {
        switch history {
        case .none: "\(kind.rawValue) without a history"
        case .own: "\(kind.rawValue) with a history"
        case .coreData: "\(kind.rawValue) with Core Data's tables"
        }
    }

    func description(in directory: String) -> StoreDescription {
        var description =
            switch kind {
            case .sqlite: StoreDescription(.sqlite(keepsCoreDataHistory: history == .coreData), path: directory + "/events.sqlite")
            case .lmdb: StoreDescription(.lmdb, path: directory + "/events.lmdb")
            case .binary: StoreDescription(.binary, path: directory + "/events.binary")
            case .xml: StoreDescription(.xml, path: directory + "/events.xml")
            case .inMemory: StoreDescription(.inMemory)
            }
        if history != .none { description.options.history = .unlimited }
        return description
    }
}

enum HistoryKind: String, CaseIterable {
    case sqlite = "SQLite"
    case lmdb = "LMDB"
    case inMemory = "in-memory"
    case binary = "binary"
    case xml = "XML"

    var participants: [HistoryParticipant] {
        ([.none, .own] + (self == .sqlite ? [.coreData] : [])).map { HistoryParticipant(kind: self, history: $0) }
    }

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
    case importing = "import"
    case insert, update
    case read = "read changes"
    case singles = "single saves"
    case remote = "remote changes"
    case delete

    var explanation: String {
        switch self {
        case .importing: "import the sample of the archive into a store of its own, with relationships"
        case .insert: "make the objects and save them"
        case .update: "change two attributes of each object and save"
        case .read: "fetch all changes of the history; without one, all objects with their values"
        case .singles: "a hundred saves of one new object"
        case .remote: "from another coordinator's save of a thousand objects until its event"
        case .delete: "delete all objects and save"
        }
    }
}

/// What the stores get.
struct HistoryWork {
    let events: [Event]
    let archive: Dataset
}

/// One store through the steps, in their order.
final class HistoryRun {
    private var container: PersistentContainer
    private let participant: HistoryParticipant
    private let description: StoreDescription
    private let directory: String
    private let work: HistoryWork
    private var events: [Event] { work.events }
    private let model: ManagedObjectModel
    private static let singles = 100
    private static let remotes = 1000

    init(_ participant: HistoryParticipant, _ directory: String, _ work: HistoryWork) throws {
        (self.participant, self.directory, self.work) = (participant, directory, work)
        model = try EventObject.model()
        description = participant.description(in: directory)
        container = try PersistentContainer(model: model, stores: [description])
    }

    /// Returns the processor time of a step, in seconds.
    func measure(_ step: HistoryStep) throws -> Double {
        let context = ManagedObjectContext(container.coordinator)
        switch step {
        case .importing: return try importing()
        case .insert:
            return try processorTime {
                for event in events { EventObject(context: context).fill(event) }
                try context.save()
            }
        case .update:
            let objects = try context.fetch(ObjectFetchRequest<EventObject>())
            return try processorTime {
                for object in objects {
                    object[EventObject.rank] = object.rank + 1
                    object[EventObject.time] = object.time + 1
                }
                try context.save()
            }
        case .read:
            return try processorTime {
                guard description.options.history == nil else {
                    _ = try container.history.transactions(after: nil).reduce(0) { $0 + $1.changes.count }
                    return
                }
                var answer = Answer()
                for event in try context.fetch(ObjectFetchRequest<EventObject>()) { answer.add(event) }
            }
        case .singles:
            return try processorTime {
                for event in events.prefix(HistoryRun.singles) {
                    EventObject(context: context).fill(event)
                    try context.save()
                }
            }
        case .remote: return try remote()
        case .delete:
            let objects = try context.fetch(ObjectFetchRequest<EventObject>())
            return try processorTime {
                for object in objects { context.delete(object) }
                try context.save()
            }
        }
    }

    private func importing() throws -> Double {
        let directory = directory + "/archive"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let container = try PersistentContainer(model: ArchiveModel.make(), stores: [participant.description(in: directory)])
        let context = ManagedObjectContext(container.coordinator)
        defer { for store in container.coordinator.stores { try? container.coordinator.remove(store) } }
        return try processorTime { _ = try work.archive.save(in: context) }
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
            let objects = try context.fetch(ObjectFetchRequest<EventObject>(limit: HistoryRun.remotes))
            for object in objects { object[EventObject.rank] = object.rank + 1 }
            seconds = try processorTime {
                try context.save()
                heard.wait()
            }
        }
        withExtendedLifetime(subscription) {}
        return seconds
    }

    /// Returns the size of the closed files.
    func reopen() throws -> Int {
        for store in container.coordinator.stores { try container.coordinator.remove(store) }
        defer { if let opened = try? PersistentContainer(model: model, stores: [description]) { container = opened } }
        return try FileManager.default.subpathsOfDirectory(atPath: directory).reduce(0) { sum, name in
            sum + (try FileManager.default.attributesOfItem(atPath: directory + "/" + name)[.size] as? Int ?? 0)
        }
    }

    private func processorTime(_ body: () throws -> Void) throws -> Double {
        let start = ProcessTime.seconds
        try body()
        return ProcessTime.seconds - start
    }
}
