import Strata
import StrataModel

/// Takes the steps of a walk in the framework and in the oracle, and compares all that comes of them.
struct Walker {
    static let policies: [MergePolicy] = [.error, .mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .overwrite, .rollback]

    let schema: Schema
    private(set) var oracle: Oracle
    let subject: Subject
    private let isPersistent: Bool
    private let hasUndo: Bool
    /// Whether everything is compared after each step, rather than what the step was about.
    private let isThorough: Bool
    private var count = 0
    /// How many saves there were, and of how many the oracle did not say what must come of them.
    private(set) var saves = 0
    private(set) var openSaves = 0

    init(_ walk: Walk, _ description: StoreDescription, isPersistent: Bool, isThorough: Bool) throws {
        schema = walk.schema
        oracle = Oracle(walk.schema, hasStranger: walk.hasStranger)
        subject = try Subject(walk, description)
        self.isPersistent = isPersistent
        hasUndo = walk.hasUndo
        self.isThorough = isThorough
    }

    /// Whether a step makes sense where the walk is.
    func canTake(_ operation: Operation) -> Bool {
        func isThere(_ at: Int, _ tag: Int) -> Bool { at < oracle.contexts.count && oracle.contexts[at].view.objects[tag] != nil }
        if let at = operation.contextIndex, at < oracle.contexts.count, oracle.isLost(at) {
            switch operation {
            case .save: return !oracle.isForsaken(at)
            case .rollback, .policy: return true
            case .sync: return !oracle.isChild(at) || oracle.isInSync(0) && !oracle.isMurky(0)
            default: return false
            }
        }
        switch operation {
        case .insert(let at, _, let tag):
            return at < oracle.contexts.count && !oracle.contexts.contains { $0.view.objects[tag] != nil || $0.base.objects[tag] != nil }
                && oracle.store.graph.objects[tag] == nil
        case .set(let at, let tag, let field, let value):
            guard isThere(at, tag), let object = oracle.contexts[at].view.objects[tag] else { return false }
            return field < object.values.count
                && object.values[field] != value.map(schema.fields(of: object.kind)[field].type.kept)
        case .relate(let at, let tag, let end, let others):
            guard isThere(at, tag), others.allSatisfy({ isThere(at, $0) }), let object = oracle.contexts[at].view.objects[tag] else {
                return false
            }
            return schema.isKind(object.kind, of: schema.ends[end].owner) && object[end] != others
        case .delete(let at, let tag):
            return isThere(at, tag) && oracle.deletesWhatIsSeen(at, tag)
        case .undo(let at):
            return at < oracle.contexts.count && oracle.isClear(oracle.contexts[at].undo.last, at)
        case .redo(let at):
            return at < oracle.contexts.count && oracle.isClear(oracle.contexts[at].redo.last, at)
        case .save(let at, _), .rollback(let at), .policy(let at, _): return at < oracle.contexts.count
        case .sync(let at):
            guard at < oracle.contexts.count, !oracle.isChild(at) || oracle.isInSync(0) && !oracle.isMurky(0) else { return false }
            // What a deleted object leads to is read anew by whoever takes the deletion back.
            return !oracle.contexts[at].hasChanges || oracle.isInSync(at) && oracle.contexts[at].view.deleted.isEmpty
        case .refresh(let at, let tag): return isThere(at, tag) && oracle.isInSync(at)
        case .fetch(let at, _): return at < oracle.contexts.count && oracle.isInSync(at) && !oracle.isMurky(at)
        case .batchInsert(_, let tags, _):
            return tags.allSatisfy { tag in
                oracle.store.graph.objects[tag] == nil
                    && !oracle.contexts.contains { $0.view.objects[tag] != nil || $0.base.objects[tag] != nil }
            }
        case .batchUpdate: return true
        case .batchDelete(let kind, let number): return !deletion(kind, number).emptiesRequired
        case .failing(_, let inner):
            switch inner {
            case .set(let at, _, _, _), .relate(let at, _, _, _), .fetch(let at, _), .save(let at, _):
                guard at < oracle.contexts.count, oracle.isInSync(at), canTake(inner) else { return false }
                if case .save = inner, case .saved = oracle.expectation(ofSave: at) { return true }
                if case .save = inner { return false }
                return true
            default: return false
            }
        case .reopen: return isPersistent && !oracle.contexts.contains(where: \.hasChanges)
        }
    }

    /// Takes a step, where it makes sense.
    ///
    /// - Throws: ``Mismatch``, or what the framework throws where it should not.
    mutating func take(_ operation: Operation) throws {
        guard canTake(operation) else { return }
        count += 1
        switch operation {
        case .insert(let at, let kind, let tag):
            try change(at, "insert") {
                try $0.insert(at, kind, tag)
            } oracle: {
                $0.insert(tag, kind)
            }
        case .set(let at, let tag, let field, let value): try set(at, tag, field, value)
        case .relate(let at, let tag, let end, let others): try relate(at, tag, end, others)
        case .delete(let at, let tag):
            let isNew = oracle.isNew(at)
            try change(at, "delete") {
                $0.contexts[at].delete(try $0.object(at, tag))
            } oracle: {
                $0.delete(tag, isNew: isNew)
            }
        case .undo(let at):
            try subject.contexts[at].undo()
            oracle.undo(at)
            try didGo(at, "undo")
        case .redo(let at):
            try subject.contexts[at].redo()
            oracle.redo(at)
            try didGo(at, "redo")
        case .save(let at, let rollsBack): try save(at, rollsBack)
        case .sync(let at): try sync(at)
        case .refresh(let at, let tag):
            subject.contexts[at].refresh(try subject.object(at, tag), mergeChanges: true)
            try compare(at, "after a refresh of \(tag)")
        case .rollback(let at): try rollback(at)
        case .fetch(let at, let query): try fetch(at, query)
        case .batchInsert(let kind, let tags, let number): try batchInsert(kind, tags, number)
        case .batchUpdate(let kind, let least, let number): try batchUpdate(kind, least, number)
        case .batchDelete(let kind, let number): try batchDelete(kind, number)
        case .failing(let read, let inner): try takeFailing(read, inner)
        case .policy(let at, let policy):
            oracle.contexts[at].policy = policy
            subject.contexts[at].mergePolicy = Walker.policies[policy]
        case .reopen:
            try subject.reopen()
            for at in oracle.contexts.indices {
                // A context's child reads what its parent read.
                oracle.sync(at)
                try subject.load(at)
            }
            try compareAll("after reopening")
        }
        if isThorough || count.isMultiple(of: 16) { try compareAll("after \(operation)") }
    }

    // MARK: - Changes

    private mutating func change(
        _ at: Int, _ what: String, _ body: (Subject) throws -> Void, oracle change: (inout NaiveGraph) -> Void
    ) throws {
        let (before, steps) = (oracle.contexts[at].view, subject.contexts[at].undoManager?.undoCount ?? 0)
        try body(subject)
        try subject.contexts[at].processPendingChanges()
        let isChange = oracle.change(at, change)
        try noteStep(at, before, steps, isChange, what)
        if isThorough { try compare(at, "after \(what)") }
    }

    private mutating func noteStep(_ at: Int, _ before: NaiveGraph, _ steps: Int, _ isChange: Bool, _ what: String) throws {
        guard hasUndo else { return }
        let now = subject.contexts[at].undoManager?.undoCount ?? 0
        if now > steps {
            oracle.pushStep(at, before)
        } else if isChange {
            throw Mismatch("no step of an undo for \(what) in context \(at)")
        }
    }

    private mutating func set(_ at: Int, _ tag: Int, _ field: Int, _ value: Int?) throws {
        guard let kind = oracle.contexts[at].view.objects[tag]?.kind else { return }
        let declared = schema.fields(of: kind)[field]
        try change(at, "set") {
            try $0.object(at, tag).setValue(value.map { declared.type.value($0) }, forKey: declared.name)
        } oracle: {
            $0.objects[tag]?.values[field] = value.map(declared.type.kept)
        }
    }

    private mutating func relate(_ at: Int, _ tag: Int, _ end: Int, _ others: [Int]) throws {
        let saved = oracle.contexts[at].base
        try change(at, "relate") {
            try $0.relate(at, tag, end, others)
        } oracle: {
            $0.relate(tag, end, to: others, saved: saved)
        }
    }

    private mutating func didGo(_ at: Int, _ what: String) throws {
        try subject.rebuild(at)
        try compare(at, "after \(what)")
        let manager = subject.contexts[at].undoManager
        if manager?.undoCount != oracle.contexts[at].undo.count || manager?.redoCount != oracle.contexts[at].redo.count {
            throw Mismatch("\(manager?.undoCount ?? 0) and \(manager?.redoCount ?? 0) steps after \(what)")
        }
    }

    // MARK: - Saves

    private mutating func save(_ at: Int, _ rollsBack: Bool) throws {
        try compare(at, "before a save")
        saves += 1
        let expectation = oracle.expectation(ofSave: at)
        let steps = subject.contexts[0].undoManager?.undoCount ?? 0
        let outcome = Result { try subject.contexts[at].save() }
        switch (expectation, outcome) {
        case (.saved, .success): try didSave(at, steps)
        case (.invalid(let failures), .failure(let error as ValidationError)):
            let found = Set(error.failures.map { "\(subject.tag(at, $0.objectID) ?? -1).\($0.key ?? "").\($0.cocoaCode)" })
            let deleted = failures.filter { $0.hasSuffix(".1600") }
            // Deleted objects are not among those that are here.
            let rest = Set(found.filter { !$0.hasSuffix(".1600") })
            if rest != failures.subtracting(deleted) || deleted.isEmpty == found.contains(where: { $0.hasSuffix(".1600") }) {
                throw Mismatch("\(found.sorted()) instead of \(failures.sorted())")
            }
            try compare(at, "after a save that was invalid")
            if rollsBack { try rollback(at) }
        case (.conflict(let code, let must, let may), .failure(let error as SaveConflictError)):
            if error.cocoaCode != code { throw Mismatch("\(error) instead of \(code)") }
            let found = Set(error.conflicts.compactMap { subject.tag(at, $0.objectID) })
            let unknown = must.subtracting(oracle.contexts[at].view.deleted.keys).subtracting(found)
            if !unknown.isEmpty || !found.subtracting(must).isSubset(of: may) {
                throw Mismatch("\(error) instead of conflicts of \(must.sorted()), perhaps \(may.sorted())")
            }
            try compare(at, "after a conflict")
            try rollback(at)
        case (.open, .success), (.open, .failure(is SaveConflictError)), (.open, .failure(is ValidationError)):
            openSaves += 1
            if case .success = outcome { try adopt(at) }
            try startAnew(at, hasSaved: (try? outcome.get()) != nil)
        default: throw Mismatch("a save in context \(at) came to \(outcome) instead of \(expectation)")
        }
    }

    /// - Parameter steps: How many steps the parent's undo manager had before.
    private mutating func didSave(_ at: Int, _ steps: Int) throws {
        if subject.contexts[at].hasChanges { throw Mismatch("there are changes after a save in context \(at)") }
        if oracle.isChild(at) {
            let before = oracle.contexts[0].view
            let loose = oracle.didSaveChild()
            try subject.contexts[0].processPendingChanges()
            try subject.rebuild(0)
            let isChange = before.lines != oracle.contexts[0].view.lines || before.deleted.count != oracle.contexts[0].view.deleted.count
            try compare(0, "after the save of a child", loose)
            try noteStep(0, before, steps, isChange, "a child's save")
        } else if oracle.isInSync(at) {
            var expected = oracle.contexts[at].view
            expected.deleted = [:]
            try compareStore(expected, [], "after a save of context \(at)")
            oracle.didSave(at, expected)
        } else {
            let (expected, loose) = oracle.merged(at)
            let stored = try compareStore(expected, loose, "after a save of context \(at)")
            oracle.didSave(at, stored)
        }
        try subject.rebuild(at)
        try compare(at, "after a save")
    }

    /// Takes over what is there after a save that the oracle does not work out.
    private mutating func adopt(_ at: Int) throws {
        let stored = try subject.storedGraph()
        try checkMutual(stored)
        if oracle.isChild(at) {
            try subject.contexts[0].processPendingChanges()
            try subject.rebuild(0)
            let parent = try subject.graph(0)
            try checkMutual(parent, withPending: oracle.contexts[0].base)
            oracle.contexts[0].go(to: parent)
            oracle.contexts[0].hasOpenDeletions = !oracle.contexts[0].view.deleted.isEmpty
            oracle.contexts[0].undo = []
            oracle.contexts[0].redo = []
            subject.contexts[0].undoManager?.removeAllActions()
        } else {
            let (before, versions) = (oracle.store.graph.objects.keys, oracle.store.versions)
            oracle.store.store(stored, by: -1)
            // An object that became part of another has given it its tag, by which others know it without having been written.
            oracle.store.versions.merge(versions) { _, old in old }
            for tag in before where stored.objects[tag] == nil {
                oracle.store.removers[tag] = at
                oracle.store.versions[tag] = nil
            }
            // Which of the rows were written is not known.
            for tag in stored.objects.keys { oracle.store.maybe[tag, default: []].append((oracle.store.epoch, -1)) }
        }
    }

    /// Has a context be without changes and see what there is now, where that can be told.
    ///
    /// - Parameter hasSaved: Whether it has no changes, and it is not known what it sees.
    private mutating func startAnew(_ at: Int, hasSaved: Bool) throws {
        if !hasSaved { return try rollback(at) }
        subject.contexts[at].undoManager?.removeAllActions()
        oracle.rollback(at)
        try loseTrack(of: at)
    }

    private mutating func rollback(_ at: Int) throws {
        let isCertain = oracle.isInSync(at) && !oracle.isLost(at)
        subject.contexts[at].rollback()
        if subject.contexts[at].hasChanges { throw Mismatch("there are changes after a rollback") }
        oracle.rollback(at)
        try subject.rebuild(at)
        if !isCertain { return try loseTrack(of: at) }
        try compare(at, "after a rollback")
    }

    /// Takes note that a context without changes may see what is newer than what it read: it reads it all, as soon as that can be told.
    private mutating func loseTrack(of at: Int) throws {
        oracle.contexts[at].isUncertain = true
        if canTake(.sync(at: at)) { try sync(at) }
    }

    private mutating func sync(_ at: Int) throws {
        let wasInSync = oracle.isInSync(at) && !oracle.contexts[at].isUncertain
        if !oracle.contexts[at].isUncertain && oracle.isLost(at) {
            subject.contexts[at].rollback()
            oracle.rollback(at)
        }
        subject.contexts[at].refreshAllObjects()
        try subject.load(at)
        if !wasInSync {
            subject.contexts[at].undoManager?.removeAllActions()
            oracle.sync(at)
        }
        try compare(at, "when all was read anew")
    }

    // MARK: - Fetches

    private func fetch(_ at: Int, _ query: NaiveQuery) throws {
        let view = oracle.contexts[at].view
        let (expected, found) = (query.answer(view), try subject.tags(at, query))
        let what = "\(schema.kinds[query.kind].name) where \(query.format(query.condition, schema)) in context \(at)"
        if (query.isSorted ? found : found.sorted()) != expected { throw Mismatch("\(found) instead of \(expected), \(what)") }
        let count = try subject.contexts[at].count(for: subject.request(query))
        if count != expected.count { throw Mismatch("a count of \(count) instead of \(expected.count), \(what)") }
    }

    // MARK: - Batch requests

    private mutating func batchInsert(_ kind: Int, _ tags: [Int], _ number: Int) throws {
        let fields = schema.fields(of: kind)
        var next = oracle.store.graph
        let rows = tags.map { tag -> [String: Value] in
            next.insert(tag, kind)
            next.objects[tag]?.values[0] = number
            var row: [String: Value] = ["tag": .int(Int64(tag)), "number": .int(Int64(number))]
            for (index, field) in fields.enumerated() where field.isRequired && field.standard == nil {
                next.objects[tag]?.values[index] = field.type.kept(1)
                row[field.name] = field.type.value(1)
            }
            return row
        }
        var request = BatchInsertRequest(entityName: schema.kinds[kind].name, objects: rows)
        request.mergesIntoContexts = false
        _ = try subject.coordinator.base.execute(request)
        try didChangeStore(next, "after a batch insert")
    }

    private mutating func batchUpdate(_ kind: Int, _ least: Int, _ number: Int) throws {
        var next = oracle.store.graph
        var touched: [Int] = []
        for (tag, object) in next.objects where schema.isKind(object.kind, of: kind) && (object.values[0] ?? Int.min) >= least {
            next.objects[tag]?.values[0] = number
            touched.append(tag)
        }
        var request = BatchUpdateRequest(
            entityName: schema.kinds[kind].name, try QueryPredicate(format: "number >= \(least)"), set: ["number": .int(Int64(number))])
        request.mergesIntoContexts = false
        _ = try subject.coordinator.base.execute(request)
        try didChangeStore(next, "after a batch update")
        for tag in touched { oracle.store.maybe[tag, default: []].append((oracle.store.epoch, -1)) }
    }

    /// What a batch deletion leaves, and whether it empties a relationship that must not be empty.
    private func deletion(_ kind: Int, _ number: Int) -> (graph: NaiveGraph, emptiesRequired: Bool) {
        var next = oracle.store.graph
        for tag in oracle.store.graph.objects.keys.sorted() {
            guard let object = next.objects[tag], schema.isKind(object.kind, of: kind), object.values[0] == number else { continue }
            // Nothing is denied.
            next.delete(tag, isNew: { _ in true })
        }
        next.deleted = [:]
        let isEmptied = next.objects.contains { tag, object in
            schema.ends(of: object.kind).contains {
                schema.ends[$0].isRequired && object[$0].isEmpty && !oracle.store.graph[tag, $0].isEmpty
            }
        }
        return (next, isEmptied)
    }

    private mutating func batchDelete(_ kind: Int, _ number: Int) throws {
        let next = deletion(kind, number).graph
        var request = BatchDeleteRequest(entityName: schema.kinds[kind].name, try QueryPredicate(format: "number == \(number)"))
        request.mergesIntoContexts = false
        _ = try subject.coordinator.base.execute(request)
        try didChangeStore(next, "after a batch deletion")
    }

    private mutating func didChangeStore(_ next: NaiveGraph, _ what: String) throws {
        try compareStore(next, [], what)
        oracle.store.store(next, by: -1)
    }

    // MARK: - Reads that fail

    private mutating func takeFailing(_ read: Int, _ inner: Operation) throws {
        let at =
            switch inner {
            case .set(let at, _, _, _), .relate(let at, _, _, _), .fetch(let at, _), .save(let at, _): at
            default: 0
            }
        subject.contexts[at].refreshAllObjects()
        if oracle.isChild(at) { subject.contexts[0].refreshAllObjects() }
        let steps = subject.contexts[0].undoManager?.undoCount ?? 0
        let before = self
        do {
            try subject.coordinator.failing(after: read) {
                switch inner {
                case .set(let at, let tag, let field, let value):
                    guard let kind = oracle.contexts[at].view.objects[tag]?.kind else { return }
                    let declared = schema.fields(of: kind)[field]
                    try subject.object(at, tag).setValue(value.map { declared.type.value($0) }, forKey: declared.name)
                case .relate(let at, let tag, let end, let others): try subject.relate(at, tag, end, others)
                case .fetch(let at, let query): try fetch(at, query)
                case .save(let at, _): try subject.contexts[at].save()
                default: break
                }
            }
        } catch let error where FailingCoordinator.isFailure(error) {
            self = before
            // Nothing came of it, and nothing stands against going on.
            if oracle.isChild(at) { try subject.load(0) }
            try subject.load(at)
            try compareAll("after \(inner) failed at read \(read)")
            return
        }
        if oracle.isChild(at) { try subject.load(0) }
        switch inner {
        case .save(let at, _): try didSave(at, steps)
        case .set, .relate: try redoInOracle(at, inner)
        default: break
        }
        try subject.load(at)
        try compareAll("after \(inner) did not fail at read \(read)")
    }

    /// Has the oracle do what the framework did already.
    private mutating func redoInOracle(_ at: Int, _ inner: Operation) throws {
        let (before, steps) = (oracle.contexts[at].view, oracle.contexts[at].undo.count)
        try subject.contexts[at].processPendingChanges()
        let saved = oracle.contexts[at].base
        let isChange = oracle.change(at) { graph in
            switch inner {
            case .set(_, let tag, let field, let value):
                guard let kind = graph.objects[tag]?.kind else { return }
                graph.objects[tag]?.values[field] = value.map(schema.fields(of: kind)[field].type.kept)
            case .relate(_, let tag, let end, let others): graph.relate(tag, end, to: others, saved: saved)
            default: break
            }
        }
        try noteStep(at, before, steps, isChange, "what did not fail")
    }

    // MARK: - Comparing

    private mutating func compareAll(_ what: String) throws {
        for at in oracle.contexts.indices { try compare(at, what) }
    }

    /// Compares what a context sees with what it must see; orders that may be any are taken over.
    private mutating func compare(_ at: Int, _ what: String, _ loose: Set<Oracle.Loose> = []) throws {
        if oracle.isLost(at) { return }
        let found = try subject.graph(at)
        let expected = try Walker.adapt(oracle.contexts[at].view, to: found, loose)
        if expected.lines != found.lines { throw Mismatch("context \(at), \(what): \(Walker.difference(found.lines, expected.lines))") }
        oracle.contexts[at].view = expected
    }

    @discardableResult
    private func compareStore(_ graph: NaiveGraph, _ loose: Set<Oracle.Loose>, _ what: String) throws -> NaiveGraph {
        let found = try subject.storedGraph()
        let expected = try Walker.adapt(graph, to: found, loose)
        if expected.lines != found.lines { throw Mismatch("stored \(what): \(Walker.difference(found.lines, expected.lines))") }
        return expected
    }

    private static func adapt(_ graph: NaiveGraph, to found: NaiveGraph, _ loose: Set<Oracle.Loose>) throws -> NaiveGraph {
        var graph = graph
        for item in loose where Set(graph[item.tag, item.end]) == Set(found[item.tag, item.end]) {
            let order = found[item.tag, item.end]
            graph.objects[item.tag]?.refs[item.end] = order.isEmpty ? nil : order
        }
        return graph
    }

    private static func difference(_ found: [String], _ expected: [String]) -> String {
        let (foundSet, expectedSet) = (Set(found), Set(expected))
        return "\(found.filter { !expectedSet.contains($0) }) instead of \(expected.filter { !foundSet.contains($0) })"
    }

    /// Checks that whom an object leads to is there, and leads back.
    ///
    /// - Parameter pending: The objects whose deletion may be pending, so that those whose rule denies it lead there still.
    private func checkMutual(_ graph: NaiveGraph, withPending pending: NaiveGraph? = nil) throws {
        for (tag, object) in graph.objects {
            for (end, others) in object.refs {
                for other in others {
                    if graph.objects[other] == nil, pending?.objects[other] != nil { continue }
                    if graph.objects[other] == nil { throw Mismatch("\(tag).\(schema.ends[end].name) leads to \(other), which is gone") }
                    if !graph[other, schema.ends[end].inverse].contains(tag) {
                        throw Mismatch("\(tag).\(schema.ends[end].name) leads to \(other), which does not lead back")
                    }
                }
            }
        }
    }

    /// What must hold at the end, whatever was done.
    mutating func finish() throws {
        try compareAll("at the end")
        for store in subject.coordinator.base.stores {
            let problems = try subject.coordinator.base.verify(store)
            if !problems.isEmpty { throw Mismatch("\(problems)") }
        }
        try checkMutual(subject.storedGraph())
    }
}
