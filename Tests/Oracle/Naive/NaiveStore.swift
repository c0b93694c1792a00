/// What is stored, and when each row was written last.
struct NaiveStore {
    var graph: NaiveGraph
    /// The epoch in which each object's row was written.
    var versions: [Int: Int] = [:]
    /// Rows that may have been written to keep an order: when, and by which context.
    var maybe: [Int: [(epoch: Int, author: Int)]] = [:]
    /// Which context deleted what is gone; -1 for a batch request.
    var removers: [Int: Int] = [:]
    /// The objects that were stored at any time.
    var once: Set<Int> = []
    /// How often anything was stored.
    var epoch = 0

    /// Takes another graph over, which somebody stored.
    ///
    /// - Parameter pairs: The objects that were written with their partners, where they changed or not.
    mutating func store(_ next: NaiveGraph, by author: Int, pairs: Set<Int> = []) {
        epoch += 1
        for tag in next.objects.keys where graph.row(tag) != next.row(tag) { versions[tag] = epoch }
        for tag in NaiveStore.ordered(next, since: graph).union(pairs) { maybe[tag, default: []].append((epoch, author)) }
        for tag in graph.objects.keys where next.objects[tag] == nil {
            versions[tag] = nil
            removers[tag] = author
        }
        graph = next
        graph.deleted = [:]
        once.formUnion(next.objects.keys)
    }

    /// The objects whose position in an ordered relationship may have changed, and stands in their rows.
    static func ordered(_ graph: NaiveGraph, since base: NaiveGraph) -> Set<Int> {
        var tags: Set<Int> = []
        for (index, end) in graph.schema.ends.enumerated() where end.shape == .ordered && !graph.schema.ends[end.inverse].isToMany {
            for (tag, object) in graph.objects where object[index] != base[tag, index] { tags.formUnion(object[index]) }
        }
        return tags
    }
}

/// A context as the oracle has it.
struct NaiveContext {
    /// What it sees.
    var view: NaiveGraph
    /// What it read, or saved.
    var base: NaiveGraph
    /// The versions of the rows that it read.
    var versions: [Int: Int] = [:]
    /// When what it saves to was as it is here.
    var sourceEpoch = 0
    /// How often what it sees has changed.
    var epoch = 0
    var undo: [NaiveGraph] = []
    var redo: [NaiveGraph] = []
    var policy = 0
    /// The objects whose partner in a one-to-one relationship was changed since the last save, be it back to what it was: both are written then.
    var touchedPairs: Set<Int> = []
    /// Whether it has deleted what a child's save had it delete, of which nobody knows what it led to by then.
    var hasOpenDeletions = false
    /// Whether it has no changes, and may see what is newer than what it read.
    var isUncertain = false

    init(_ graph: NaiveGraph) {
        view = graph
        base = graph
    }

    var hasChanges: Bool {
        !view.deleted.isEmpty || view.objects.count != base.objects.count
            || view.objects.keys.contains { view.sorted($0) != base.sorted($0) }
    }

    /// Goes to another view, which lacks what is to be deleted.
    mutating func go(to next: NaiveGraph) {
        let before = view
        notePairs(before, next)
        view = next
        view.deleted = [:]
        for (tag, object) in base.objects where next.objects[tag] == nil {
            var gone = next.deleted[tag] ?? before.objects[tag] ?? before.deleted[tag] ?? object
            // Whom it was related to in the step that is gone back over, it is not any more.
            for (end, others) in gone.refs {
                let inverse = view.schema.ends[end].inverse
                gone.refs[end] = others.filter { next.objects[$0].map { $0[inverse].contains(tag) } ?? true }
            }
            view.deleted[tag] = gone
        }
        epoch += 1
    }

    mutating func notePairs(_ before: NaiveGraph, _ after: NaiveGraph) {
        for (index, end) in view.schema.ends.enumerated() where end.shape == .one && view.schema.ends[end.inverse].shape == .one {
            for tag in Set(before.objects.keys).union(after.objects.keys) where before[tag, index] != after[tag, index] {
                touchedPairs.insert(tag)
                touchedPairs.formUnion(before[tag, index])
            }
        }
    }

    /// Has nothing be changed, as it was saved.
    mutating func settle() {
        touchedPairs = []
        hasOpenDeletions = false
        view.deleted = [:]
        base = view
    }
}
