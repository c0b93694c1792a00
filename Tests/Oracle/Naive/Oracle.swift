/// What must come of each step: a store and some contexts, as plain dictionaries.
///
/// Context 0 stands over the store, 1 is its child, and 2 is a stranger over the same store. Each has read all that there was when it read
/// last, and nothing since: what others did meanwhile it does not see, and its save meets.
struct Oracle {
    let schema: Schema
    var store: NaiveStore
    var contexts: [NaiveContext]

    init(_ schema: Schema, hasStranger: Bool) {
        self.schema = schema
        store = NaiveStore(graph: NaiveGraph(schema))
        contexts = Array(repeating: NaiveContext(NaiveGraph(schema)), count: hasStranger ? 3 : 2)
    }

    func isChild(_ at: Int) -> Bool { at == 1 }

    /// Whether what a context read is what there is.
    func isInSync(_ at: Int) -> Bool {
        isChild(at)
            ? contexts[1].sourceEpoch == contexts[0].epoch && isInSync(0) : contexts[at].sourceEpoch == store.epoch
    }

    /// Whether it cannot be told what a context sees: it read some anew, or is the child of one that lacks what it knows, so that it depends on
    /// what it reads when.
    func isLost(_ at: Int) -> Bool {
        if contexts[at].isUncertain { return true }
        guard isChild(at) else { return false }
        return isMurky(0) || contexts[0].isUncertain || isForsaken(1)
            || contexts[1].base.objects.keys.contains { contexts[0].view.objects[$0] == nil }
    }

    /// Whether a child knows objects that a stranger deleted, or changed what its parent deleted and saved, so that its parent may lead to
    /// nothing until its own save tells.
    func isForsaken(_ at: Int) -> Bool {
        guard isChild(at) else { return false }
        let child = contexts[1]
        return child.base.objects.keys.contains { tag in
            guard store.graph.objects[tag] == nil, let remover = store.removers[tag] else { return false }
            return remover != 0 || child.view.row(tag) != child.base.row(tag)
        }
    }

    /// Whether objects lead to others that are about to be deleted, though their rule denies it.
    func isMurky(_ at: Int) -> Bool {
        let view = contexts[at].view
        return !view.deleted.isEmpty && view.objects.values.contains { $0.refs.values.contains { $0.contains { view.objects[$0] == nil } } }
    }

    // MARK: - Changes

    /// Changes what a context sees.
    ///
    /// - Returns: Whether there was anything to change.
    mutating func change(_ at: Int, _ body: (inout NaiveGraph) -> Void) -> Bool {
        let before = contexts[at].view
        body(&contexts[at].view)
        let isChange =
            before.objects.count != contexts[at].view.objects.count || before.deleted.count != contexts[at].view.deleted.count
            || before.objects.keys.contains { before.objects[$0] != contexts[at].view.objects[$0] }
        if isChange {
            contexts[at].epoch += 1
            contexts[at].notePairs(before, contexts[at].view)
        }
        return isChange
    }

    /// Whether it can be told what a step leads to.
    ///
    /// Objects that were stored, and that others know, come back as others to these; and what led
    /// to one whose deletion was pending, as its rule denied it, has nothing to lead to where that is saved.
    func isClear(_ step: NaiveGraph?, _ at: Int) -> Bool {
        guard let step else { return false }
        let (view, base) = (contexts[at].view, contexts[at].base)
        let leadsNowhere = step.objects.values.contains {
            $0.refs.values.contains { $0.contains { step.objects[$0] == nil && base.objects[$0] == nil } }
        }
        return !leadsNowhere && !bringsBackKnown(step, view, base, at)
    }

    private func bringsBackKnown(_ step: NaiveGraph, _ view: NaiveGraph, _ base: NaiveGraph, _ at: Int) -> Bool {
        step.objects.keys.contains { tag in
            guard view.objects[tag] == nil, base.objects[tag] == nil, store.once.contains(tag) else { return false }
            return store.graph.objects[tag] != nil
                || contexts.indices.contains {
                    $0 != at && (contexts[$0].view.objects[tag] != nil || contexts[$0].base.objects[tag] != nil)
                }
        }
    }

    mutating func pushStep(_ at: Int, _ before: NaiveGraph) {
        contexts[at].undo.append(before)
        contexts[at].redo = []
    }

    mutating func undo(_ at: Int) {
        guard let step = contexts[at].undo.popLast() else { return }
        contexts[at].redo.append(contexts[at].view)
        contexts[at].go(to: step)
    }

    mutating func redo(_ at: Int) {
        guard let step = contexts[at].redo.popLast() else { return }
        contexts[at].undo.append(contexts[at].view)
        contexts[at].go(to: step)
    }

    mutating func rollback(_ at: Int) {
        contexts[at].touchedPairs = []
        contexts[at].hasOpenDeletions = false
        contexts[at].view = contexts[at].base
        contexts[at].epoch += 1
        contexts[at].undo = []
        contexts[at].redo = []
    }

    /// Has a context without changes see what there is now.
    mutating func sync(_ at: Int) {
        let graph = isChild(at) ? contexts[0].view : store.graph
        contexts[at].view.deleted = [:]
        contexts[at].view.objects = graph.objects
        contexts[at].base = contexts[at].view
        contexts[at].versions = isChild(at) ? [:] : store.versions
        contexts[at].sourceEpoch = isChild(at) ? contexts[0].epoch : store.epoch
        contexts[at].epoch += 1
        contexts[at].undo = []
        contexts[at].redo = []
        contexts[at].isUncertain = false
        contexts[at].hasOpenDeletions = false
        contexts[at].touchedPairs = []
    }

    func isNew(_ at: Int) -> (Int) -> Bool {
        let base = contexts[at].base
        return { base.objects[$0] == nil }
    }
}
