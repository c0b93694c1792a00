import Strata
import StrataModel

/// Does the operations of an undo walk in the framework and in the oracle, and compares them.
///
/// The oracle's undo is the state before the step, whatever was saved since. Objects are compared seldom, so that
/// relationships that nothing but the walk loads stay unloaded.
final class UndoWalker {
    let schema: Schema
    private let comparesAlways: Bool
    private let keepsObjects: Bool
    private let refreshesBeforeSteps: Bool
    let coordinator: PersistentStoreCoordinator
    let context: ManagedObjectContext
    let manager = UndoManager()
    var graph: NaiveGraph
    /// What was saved last.
    var saved: NaiveGraph
    private var undo: [NaiveGraph] = []
    private var redo: [NaiveGraph] = []
    private var tags: Set<Int> = []
    private var held: [Int: ManagedObject] = [:]

    init(_ walk: UndoWalk, _ store: StoreDescription) throws {
        schema = walk.schema
        comparesAlways = walk.comparesAlways
        keepsObjects = walk.keepsObjects
        refreshesBeforeSteps = walk.refreshesBeforeSteps
        graph = NaiveGraph(walk.schema)
        saved = graph
        coordinator = PersistentStoreCoordinator(model: try walk.schema.model())
        try coordinator.addStore(store)
        context = ManagedObjectContext(coordinator)
        context.undoManager = manager
    }

    func take(_ operation: UndoWalk.Operation) throws {
        switch operation {
        case .group(let changes): try step("a group") { try manager.group { try apply(changes, in: context, saved) } }
        case .event(let changes):
            try step("an event") {
                try apply(changes, in: context, saved)
                try context.processPendingChanges()
            }
        case .child(let changes, let undone): try step("a child's save") { try manager.group { try saveChild(changes, undone) } }
        case .meet(let changes, let theirs, let meeting): try meet(changes, theirs, meeting)
        case .undo:
            guard let state = undo.popLast() else { break }
            redo.append(graph)
            if refreshesBeforeSteps { context.refreshAllObjects() }
            try context.undo()
            try go(to: state, "undo")
        case .redo:
            guard let state = redo.popLast() else { break }
            undo.append(graph)
            if refreshesBeforeSteps { context.refreshAllObjects() }
            try context.redo()
            try go(to: state, "redo")
        case .save(let changes):
            try step("a save") {
                try apply(changes, in: context, saved)
                try context.save()
            }
            if context.hasChanges { throw Mismatch("changes after a save") }
            saved = graph
            let fresh = ManagedObjectContext(coordinator)
            try compare(fresh, "stored")
        case .refresh: context.refreshAllObjects()
        case .refreshObject(let tag):
            if graph.objects[tag] != nil { context.refresh(try object(tag, context), mergeChanges: true) }
        case .release: held = [:]
        case .obtainPermanentIDs: try context.obtainPermanentIDs(for: Array(context.insertedObjects))
        case .compare: try compare(context, "compare")
        }
        if !keepsObjects { held = [:] }
        if comparesAlways { try compare(context, "after \(operation)".prefix { $0 != "(" && $0 != "[" }.description) }
    }

    /// Compares the context and the store at the end, and after all steps were undone and redone.
    func finish() throws {
        try take(.compare)
        let (before, count) = (graph, undo.count)
        for _ in 0..<count { try take(.undo) }
        try take(.compare)
        for _ in 0..<count { try take(.redo) }
        if graph.lines != before.lines { throw Mismatch("the oracle's steps do not lead back") }
        try take(.compare)
        try take(.save([]))
        for store in coordinator.stores {
            let problems = try coordinator.verify(store)
            if !problems.isEmpty { throw Mismatch("verify: \(problems)") }
        }
    }

    // MARK: - Changes

    private func step(_ what: String, _ body: () throws -> Void) throws {
        let (before, steps) = (graph, manager.undoCount)
        try body()
        if manager.undoCount > steps {
            undo.append(before)
            redo = []
        } else if before.lines != graph.lines {
            throw Mismatch("no undo step for \(what)")
        }
    }

    private func saveChild(_ changes: [UndoWalk.Change], _ undone: Int) throws {
        let child = ManagedObjectContext(parent: context)
        let manager = UndoManager()
        child.undoManager = manager
        let read = graph
        var states: [NaiveGraph] = []
        for change in changes {
            let (before, steps) = (graph, manager.undoCount)
            try manager.group { try apply([change], in: child, read) }
            if manager.undoCount > steps { states.append(before) }
        }
        for _ in 0..<undone {
            guard let state = states.popLast() else { break }
            try child.undo()
            graph = state
        }
        try child.save()
    }

    func apply(_ changes: [UndoWalk.Change], in context: ManagedObjectContext, _ saved: NaiveGraph) throws {
        var hasDeletions = false
        for change in changes where graph.isApplicable(change) {
            if case .delete = change {
                hasDeletions = true
            } else if hasDeletions {
                // The oracle follows delete rules at once: they are followed before the next change, which ends an event.
                if context.undoManager?.groupingLevel == 0 { return }
                try context.processPendingChanges()
                hasDeletions = false
            }
            defer { graph.apply(change, saved: saved) }
            switch change {
            case .insert(let kind, let tag):
                let object = try context.insert(schema.kinds[kind].name)
                try object.setValue(tag, forKey: "tag")
                if context === self.context { held[tag] = object }
            case .set(let tag, let value): try object(tag, context).setValue(value, forKey: "number")
            case .relate(let tag, let end, let others):
                let destinations = try others.map { try object($0, context) }
                try object(tag, context).setValue(schema.ends[end].value(destinations), forKey: schema.ends[end].name)
            case .add(let tag, let end, let other):
                let (owner, member, name) = (try object(tag, context), try object(other, context), schema.ends[end].name)
                if schema.ends[end].shape == .ordered {
                    let members = try owner.mutableOrderedSetValue(forKey: name)
                    if !members.contains(member) { members.append(member) }
                } else {
                    try owner.mutableSetValue(forKey: name).insert(member)
                }
            case .remove(let tag, let end, let other):
                let (owner, member, name) = (try object(tag, context), try object(other, context), schema.ends[end].name)
                if schema.ends[end].shape == .ordered {
                    try owner.mutableOrderedSetValue(forKey: name).remove(member)
                } else {
                    try owner.mutableSetValue(forKey: name).remove(member)
                }
            case .delete(let tag): context.delete(try object(tag, context))
            }
        }
    }

    func object(_ tag: Int, _ context: ManagedObjectContext) throws -> ManagedObject {
        if context === self.context, let object = held[tag], object.managedObjectContext === context, !object.isDeleted { return object }
        guard let kind = graph.objects[tag]?.kind else { throw Mismatch("the oracle has no object \(tag)") }
        let request = ObjectFetchRequest<ManagedObject>(entityName: schema.kinds[kind].name, try QueryPredicate(format: "tag == \(tag)"))
        let found = try context.fetch(request)
        guard let object = found.first, found.count == 1 else { throw Mismatch("\(found.count) objects to change") }
        if context === self.context { held[tag] = object }
        return object
    }

    /// Forgets all steps.
    func forgetSteps() {
        manager.removeAllActions()
        (undo, redo) = ([], [])
    }

    // MARK: - Comparing

    private func go(to state: NaiveGraph, _ what: String) throws {
        graph = state
        if manager.undoCount != undo.count || manager.redoCount != redo.count {
            throw Mismatch("other numbers of steps after \(what): \(manager.undoCount) \(manager.redoCount), \(undo.count) \(redo.count)")
        }
    }

    func compare(_ context: ManagedObjectContext, _ what: String) throws {
        var found: [Int: ManagedObject] = [:]
        for kind in schema.kinds {
            for object in try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: kind.name)) {
                guard let tag = try object.value(forKey: "tag") as? Int else { throw Mismatch("\(what): no tag") }
                if found.updateValue(object, forKey: tag) != nil { throw Mismatch("\(what): two objects \(tag)") }
            }
        }
        for tag in graph.objects.keys where found[tag] == nil { throw Mismatch("\(what): object missing: \(tag)") }
        for (tag, object) in found {
            guard let expected = graph.objects[tag] else { throw Mismatch("\(what): object too many: \(tag)") }
            let number = try object.value(forKey: "number") as? Int
            if number != expected.values[0] { throw Mismatch("\(what): value: \(tag) \(number as Any), expected \(expected.values)") }
            for end in schema.ends(of: expected.kind) {
                let others: [ManagedObject] =
                    switch try object.value(forKey: schema.ends[end].name) {
                    case let one as ManagedObject: [one]
                    case let many as Set<ManagedObject>: Array(many)
                    case let ordered as [ManagedObject]: ordered
                    default: []
                    }
                let names = try others.map { other -> Int in
                    guard let tag = try other.value(forKey: "tag") as? Int else {
                        throw Mismatch("\(what): \(schema.ends[end].shape) references nothing: \(tag).\(schema.ends[end].name)")
                    }
                    return tag
                }
                let (shape, inverse) = (schema.ends[end].shape, schema.ends[schema.ends[end].inverse].shape)
                if names.sorted() != expected[end].sorted() {
                    throw Mismatch(
                        "\(what): members of \(shape) to \(inverse): \(tag).\(schema.ends[end].name) \(names), expected \(expected[end])")
                }
                if shape == .ordered, names != expected[end] {
                    throw Mismatch(
                        "\(what): order of \(shape) to \(inverse): \(tag).\(schema.ends[end].name) \(names), expected \(expected[end])")
                }
            }
        }
    }
}
