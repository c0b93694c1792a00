import BenchReports
import Foundation
import Strata
import StrataInMemory
import StrataWorkload

/// What a step of a context costs that has few objects, and one that has many: about the same, where no operation looks at all of them.
struct GraphGrowth {
    static let name = "context"
    static let counts = [1_000, 4_000, 16_000]

    enum Step: String, CaseIterable, ReportStep {
        case undo = "undo deletions"
        case refresh = "refresh one by one"
        case append
        case insert = "insert first"
        case move
        case remove
        case find = "find or create"
        case results = "fetched results"
        case page = "first page"

        var explanation: String {
            switch self {
            case .undo: "delete the members of an ordered relationship, and undo that"
            case .refresh: "discard changes of members object by object"
            case .append: "append to an ordered relationship one by one"
            case .insert: "insert at the start of an ordered relationship one by one"
            case .move: "move the last member of an ordered relationship to the middle, again and again"
            case .remove: "remove the members of an ordered relationship from its middle one by one"
            case .find: "fetch an object by its number, and make it if it is missing, before a save"
            case .results: "insert objects while a fetched results controller follows, which has as many"
            case .page: "fetch the first 20 objects by an order without an index, 20 times"
            }
        }
    }

    private let context: ManagedObjectContext
    private let list: ManagedObject
    private let items: [ManagedObject]
    private let container: PersistentContainer

    private init(_ step: Step, _ count: Int) throws {
        let model = try ManagedObjectModel {
            Entity("List") { Relationship("items", to: "Item", inverse: "list", .ordered, deleteRule: .cascade) }
            Entity("Item") {
                Attribute("number", .integer64)
                Relationship("list", to: "List", inverse: "items")
            }
        }
        container = try PersistentContainer(model: model, stores: [StoreDescription(.inMemory)])
        let context = ManagedObjectContext(container.coordinator)
        context.retainsRegisteredObjects = true
        self.context = context
        list = try context.insert("List")
        let isEmpty = step == .find
        items = try (0..<(isEmpty ? 0 : count)).map { number in
            let item = try context.insert("Item")
            try item.setValue(number &* 7_919 % count, forKey: "number")
            return item
        }
        if ![.append, .insert].contains(step) { try list.setValue(items, forKey: "items") }
        try context.save()
        if step == .undo { context.undoManager = UndoManager() }
        if step == .refresh {
            let other = try context.insert("List")
            for item in items { try item.setValue(other, forKey: "list") }
        }
    }

    private func run(_ step: Step, _ count: Int) throws {
        let members = try list.mutableOrderedSetValue(forKey: "items")
        switch step {
        case .undo:
            for item in items { context.delete(item) }
            try context.processPendingChanges()
            try context.undo()
        case .refresh: for item in items { context.refresh(item, mergeChanges: false) }
        case .append: for item in items { members.append(item) }
        case .insert: for item in items { members.insert(item, at: 0) }
        case .move: for _ in 0..<count { members.move(from: count - 1, to: count / 2) }
        case .remove: for left in (1...count).reversed() { members.remove(at: left / 2) }
        case .find:
            for number in 0..<count {
                let request = ObjectFetchRequest<ManagedObject>(
                    entityName: "Item", key("number") == .int(Int64(number)), limit: 1)
                if try context.fetch(request).isEmpty { try context.insert("Item").setValue(number, forKey: "number") }
            }
        case .results:
            let request = ObjectFetchRequest<ManagedObject>(entityName: "Item", sort: [QuerySort("number")])
            let controller = FetchedResultsController(request, context: context)
            try controller.performFetch()
            for number in 0..<count {
                try context.insert("Item").setValue(number &* 104_729 % count, forKey: "number")
                try context.processPendingChanges()
            }
        case .page:
            let request = ObjectFetchRequest<ManagedObject>(entityName: "Item", sort: [QuerySort("number", ascending: false)], limit: 20)
            for _ in 0..<20 { _ = try context.fetch(request) }
        }
    }

    static func seconds(_ step: Step, _ count: Int) throws -> Double {
        let growth = try GraphGrowth(step, count)
        return try timed { try growth.run(step, count) }.seconds
    }

    /// Measures all steps at all counts.
    static func measure(runs: Int) throws -> ReportTable {
        let tables = try counts.map { count in
            var result = ParticipantResult(name: name, kind: .strata, reference: name)
            for _ in 0..<runs {
                for step in Step.allCases {
                    result.add(Sample(step: step.rawValue, seconds: try seconds(step, count)))
                }
            }
            return (count: count, table: ReportTable(title: "contexts", steps: Step.allCases, participants: [result]))
        }
        return ReportTable(costs: tables) { _, count in count }
    }
}
