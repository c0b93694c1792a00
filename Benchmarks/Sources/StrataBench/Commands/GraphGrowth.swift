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
        case swap
        case replace
        case find = "find or create"
        case findText = "find or create by text"
        case findDate = "find or create by date"
        case findRelated = "find or create by object"
        case results = "fetched results"
        case resultsOfOwner = "fetched results of an owner"
        case appendAndSave = "append and save"
        case linkAndSave = "link and save"
        case merge
        case mergeDeletions = "merge deletions"
        case childSave = "save of a child"
        case refreshDeleted = "refresh deleted ones"
        case page = "first page"

        /// Whether few objects are changed among many.
        var isRepeated: Bool {
            switch self {
            case .resultsOfOwner, .appendAndSave, .linkAndSave, .merge, .mergeDeletions, .childSave: true
            default: false
            }
        }

        var explanation: String {
            switch self {
            case .undo: "delete the members of an ordered relationship, and undo that"
            case .refresh: "discard changes of members object by object"
            case .append: "append to an ordered relationship one by one"
            case .insert: "insert at the start of an ordered relationship one by one"
            case .move: "move the last member of an ordered relationship to the middle, again and again"
            case .remove: "remove the members of an ordered relationship from its middle one by one"
            case .swap: "swap neighbours in an ordered relationship"
            case .replace: "replace the members of an ordered relationship one by one"
            case .find: "fetch an object by its number, and make it if it is missing, before a save"
            case .findText: "the same by its name, regardless of case"
            case .findDate: "the same by its date"
            case .findRelated: "the same by the list that it belongs to"
            case .results: "insert objects while a fetched results controller follows, which has as many"
            case .resultsOfOwner: "the same where the controller has the members of a list"
            case .appendAndSave: "append to an ordered relationship of as many members, and save, 100 times"
            case .linkAndSave: "the same where both ends are to-many"
            case .merge: "merge 100 saves of one object each into a context with as many objects"
            case .mergeDeletions: "the same with 100 deletions"
            case .childSave: "insert an object in a child, save both, 100 times; child and parent have as many objects"
            case .refreshDeleted: "refresh changed objects that others deleted, one by one"
            case .page: "fetch the first 20 objects by an order without an index, 20 times"
            }
        }
    }

    private let context: ManagedObjectContext
    private let list: ManagedObject
    private let items: [ManagedObject]
    private let container: PersistentContainer
    /// How often a step is run that changes few objects among many.
    private static let repetitions = 100

    private init(_ step: Step, _ count: Int) throws {
        let model = try ManagedObjectModel {
            Entity("List") {
                Relationship("items", to: "Item", inverse: "list", .ordered, deleteRule: .cascade)
                Relationship("links", to: "Item", inverse: "lists", .ordered)
            }
            Entity("Item") {
                Attribute("number", .integer64)
                Attribute("name", .string)
                Attribute("date", .date)
                Relationship("list", to: "List", inverse: "items")
                Relationship("lists", to: "List", inverse: "links", .toMany)
            }
        }
        container = try PersistentContainer(model: model, stores: [StoreDescription(.inMemory)])
        let context = ManagedObjectContext(container.coordinator)
        context.retainsRegisteredObjects = true
        self.context = context
        list = try context.insert("List")
        let isEmpty = [.find, .findText, .findDate, .findRelated].contains(step)
        items = try (0..<(isEmpty ? 0 : count)).map { number in
            let item = try context.insert("Item")
            try item.setValue(number &* 7_919 % count, forKey: "number")
            return item
        }
        if ![.append, .insert].contains(step) { try list.setValue(items, forKey: "items") }
        if step == .linkAndSave { try list.setValue(items, forKey: "links") }
        try context.save()
        if step == .undo { context.undoManager = UndoManager() }
        if step == .refresh {
            let other = try context.insert("List")
            for item in items { try item.setValue(other, forKey: "list") }
        }
        if step == .refreshDeleted {
            for item in items { try item.setValue(-1, forKey: "number") }
            let other = ManagedObjectContext(container.coordinator)
            for item in items { other.delete(other.object(with: item.objectID)) }
            try other.save()
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
        case .swap: for index in 1..<count { members.swapAt(index - 1, index) }
        case .replace:
            var spare = try context.insert("Item")
            for index in 0..<count { (members[index], spare) = (spare, members[index]) }
        case .find, .findText, .findDate, .findRelated: for number in 0..<count { try findOrCreate(number, step) }
        case .results:
            let request = ObjectFetchRequest<ManagedObject>(entityName: "Item", sort: [QuerySort("number")])
            let controller = FetchedResultsController(request, context: context)
            try controller.performFetch()
            for number in 0..<count {
                try context.insert("Item").setValue(number &* 104_729 % count, forKey: "number")
                try context.processPendingChanges()
            }
        case .resultsOfOwner:
            let request = ObjectFetchRequest<ManagedObject>(
                entityName: "Item", try QueryPredicate(format: "list == %@", list), sort: [QuerySort("number"), QuerySort("name")])
            let controller = FetchedResultsController(request, context: context)
            try controller.performFetch()
            for number in 0..<Self.repetitions {
                let item = try context.insert("Item")
                try item.setValue(number &* 104_729 % count, forKey: "number")
                try item.setValue("\(number)", forKey: "name")
                try item.setValue(list, forKey: "list")
                try context.processPendingChanges()
            }
        case .appendAndSave, .linkAndSave:
            let members = step == .linkAndSave ? try list.mutableOrderedSetValue(forKey: "links") : members
            for _ in 0..<Self.repetitions {
                members.append(try context.insert("Item"))
                try context.save()
            }
        case .merge, .mergeDeletions:
            let other = ManagedObjectContext(container.coordinator)
            for item in items.prefix(Self.repetitions) {
                let copy = other.object(with: item.objectID)
                if step == .merge { try copy.setValue(-1, forKey: "number") } else { other.delete(copy) }
                context.mergeChanges(fromRemoteContextSave: try other.save().changes)
            }
        case .childSave:
            let child = ManagedObjectContext(parent: context)
            child.retainsRegisteredObjects = true
            for item in items { _ = child.object(with: item.objectID) }
            for _ in 0..<Self.repetitions {
                try child.insert("Item").setValue(child.object(with: list.objectID), forKey: "list")
                try child.save()
                try context.save()
            }
        case .refreshDeleted: for item in items { context.refresh(item, mergeChanges: true) }
        case .page:
            let request = ObjectFetchRequest<ManagedObject>(entityName: "Item", sort: [QuerySort("number", ascending: false)], limit: 20)
            for _ in 0..<20 { _ = try context.fetch(request) }
        }
    }

    /// Fetches an object by a value that the number decides on, and inserts it if it is missing.
    private func findOrCreate(_ number: Int, _ step: Step) throws {
        let name: String
        let condition: QueryPredicate
        let value: Any
        switch step {
        case .findText: (name, condition, value) = ("name", try QueryPredicate(format: "name ==[c] %@", "N\(number)"), "n\(number)")
        case .findDate:
            let date = Date(timeIntervalSinceReferenceDate: Double(number))
            (name, condition, value) = ("date", try QueryPredicate(format: "date == %@", date), date)
        case .findRelated:
            let list = try context.insert("List")
            (name, condition, value) = ("list", try QueryPredicate(format: "list == %@", list), list)
        default: (name, condition, value) = ("number", key("number") == .int(Int64(number)), number)
        }
        let request = ObjectFetchRequest<ManagedObject>(entityName: "Item", condition, limit: 1)
        if try context.fetch(request).isEmpty { try context.insert("Item").setValue(value, forKey: name) }
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
        return ReportTable(costs: tables) { step, count in Step(rawValue: step)?.isRepeated == true ? repetitions : count }
    }
}
