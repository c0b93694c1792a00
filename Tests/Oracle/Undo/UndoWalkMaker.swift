import StrataTestRandom

/// Makes the operations of undo walks, from what the oracle holds.
struct UndoWalkMaker {
    private var random: SeededGenerator
    private var nextTag = 1

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    private mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

    mutating func next(_ graph: NaiveGraph) -> UndoWalk.Operation {
        if graph.objects.count < 3 { return .group(changes(graph)) }
        switch below(100) {
        case 0..<24: return .group(changes(graph))
        case 24..<32: return .event(changes(graph))
        case 32..<36: return meeting(graph)
        case 36..<40: return .refreshObject(tag: random.pick(graph.objects.keys.sorted()))
        case 40..<46:
            // A parent follows the delete rules of an object that its child deleted by the references that the parent
            // has, which the child may have changed before: what is deleted then is not the subject of undo walks.
            let deletes = !graph.schema.ends.contains { $0.rule == .cascade }
            let made = changes(graph).filter { if case .delete = $0 { deletes } else { true } }
            return .child(made, undone: below(3))
        case 46..<66: return .undo
        case 66..<78: return .redo
        case 78..<87: return .save([])
        case 87..<90: return .save(changes(graph))
        case 90..<94: return .refresh
        case 94: return .release
        case 95: return .obtainPermanentIDs
        default: return .compare
        }
    }

    /// A step, and what another context does meanwhile: a part of the same, or something else, or both.
    private mutating func meeting(_ graph: NaiveGraph) -> UndoWalk.Operation {
        let (mine, meeting) = (changes(graph), random.pick(UndoWalk.Meeting.allCases))
        var theirs = below(3) == 0 ? [] : mine.filter { if case .insert = $0 { false } else { below(3) > 0 } }
        if theirs.isEmpty || below(2) == 0 { theirs += changes(graph) }
        // Who only reads does not hear of deletions, and shows what it knows of an object that is gone until it is refreshed.
        if meeting == .read { theirs.removeAll { if case .delete = $0 { true } else { false } } }
        // Links that both add are one, and what a policy makes anew was not there: a save tells neither. Nor does it tell of positions in orders
        // that the step changed or deleted, or of those of members that it moved or deleted: it need not read them.
        if meeting == .save {
            var after = graph
            for change in mine { after.apply(change) }
            theirs = (theirs + changes(graph) + changes(graph)).filter { change in
                switch change {
                case .set, .insert: return true
                case .relate(let tag, let end, let others):
                    let (schema, inverse) = (graph.schema, graph.schema.ends[end].inverse)
                    if schema.ends[end].shape == .ordered {
                        // An order that the step leaves as it is, of members that it does not move: undo leaves it to the other context.
                        return others.sorted() == graph[tag, end].sorted() && after.objects[tag] != nil
                            && after[tag, end] == graph[tag, end]
                            && others.allSatisfy { after.objects[$0] != nil && after[$0, inverse] == graph[$0, inverse] }
                    }
                    if schema.ends[end].shape != .one { return false }
                    return schema.ends[inverse].shape != .ordered
                        || after.objects[tag] != nil && after[tag, end] == graph[tag, end]
                            && others.allSatisfy { after.objects[$0] != nil && after[$0, inverse] == graph[$0, inverse] }
                case .add, .remove, .delete: return false
                }
            }
        }
        return .meet(mine, theirs: theirs, meeting)
    }

    /// One to four changes, each of the objects that are there after those before it.
    private mutating func changes(_ graph: NaiveGraph) -> [UndoWalk.Change] {
        var graph = graph
        var changes: [UndoWalk.Change] = []
        for _ in 0...below(4) {
            let change = change(graph)
            graph.apply(change)
            changes.append(change)
        }
        return changes
    }

    private mutating func change(_ graph: NaiveGraph) -> UndoWalk.Change {
        let tags = graph.objects.keys.sorted()
        if tags.count < 2 || tags.count < 9 && below(100) < 25 {
            nextTag += 1
            return .insert(kind: below(graph.schema.kinds.count), tag: nextTag - 1)
        }
        let tag = random.pick(tags)
        if below(100) < 15 { return .delete(tag: tag) }
        let schema = graph.schema
        let ends = schema.ends(of: graph.objects[tag]?.kind ?? 0)
        if ends.isEmpty || below(100) < 10 { return .set(tag: tag, value: below(9)) }
        let end = random.pick(ends)
        let candidates = tags.filter { graph.objects[$0]?.kind == schema.ends[end].destination }
        if candidates.isEmpty { return .set(tag: tag, value: below(9)) }
        let other = random.pick(candidates)
        if !schema.ends[end].isToMany { return .relate(tag: tag, end: end, to: below(5) == 0 ? [] : [other]) }
        let members = graph[tag, end]
        if below(100) < 40 {
            return members.contains(other) ? .remove(tag: tag, end: end, other: other) : .add(tag: tag, end: end, other: other)
        }
        let chosen = candidates.shuffled(using: &random).prefix(1 + below(4))
        return .relate(tag: tag, end: end, to: below(4) == 0 ? members.shuffled(using: &random) : Array(chosen))
    }
}

extension NaiveGraph {
    /// Makes a change, where there are the objects that it is about.
    ///
    /// - Parameter saved: What was saved, see ``link(_:_:_:saved:)``.
    mutating func apply(_ change: UndoWalk.Change, saved: NaiveGraph? = nil) {
        guard isApplicable(change) else { return }
        switch change {
        case .insert(let kind, let tag): insert(tag, kind)
        case .set(let tag, let value): objects[tag]?.values[0] = value
        case .relate(let tag, let end, let others): relate(tag, end, to: others, saved: saved)
        case .add(let tag, let end, let other): link(tag, end, other, saved: saved)
        case .remove(let tag, let end, let other): if self[tag, end].contains(other) { unlink(tag, end, other) }
        case .delete(let tag):
            delete(tag) { _ in false }
            deleted = [:]
        }
    }

    /// Whether there are the objects that a change is about.
    func isApplicable(_ change: UndoWalk.Change) -> Bool {
        func hold(_ tag: Int, _ end: Int, _ others: [Int]) -> Bool {
            objects[tag]?.kind == schema.ends[end].owner && others.allSatisfy { objects[$0]?.kind == schema.ends[end].destination }
        }
        return switch change {
        case .insert(_, let tag): objects[tag] == nil
        case .set(let tag, _), .delete(let tag): objects[tag] != nil
        case .relate(let tag, let end, let others): hold(tag, end, others)
        case .add(let tag, let end, let other), .remove(let tag, let end, let other): hold(tag, end, [other])
        }
    }
}
