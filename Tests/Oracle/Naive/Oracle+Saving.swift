/// What must come of a save.
enum Expectation {
    case saved
    /// `tag.key.code` of each failure.
    case invalid(Set<String>)
    /// The objects that must be among the conflicts, and others that may be.
    case conflict(code: Int, must: Set<Int>, may: Set<Int>)
    /// What the oracle does not work out: it may be refused or not, nothing may dangle, and what is stored then counts.
    case open(String)
}

extension Oracle {
    func expectation(ofSave at: Int) -> Expectation {
        if isLost(at) { return .open("a child of objects that are gone") }
        let context = contexts[at]
        let failures = context.view.failures(since: context.base)
        let isCurrent = isInSync(at)
        if context.hasOpenDeletions { return .open("deletions that a child's save made") }
        let mayBeDenied = context.view.deleted.values.contains { schema.ends(of: $0.kind).contains { schema.ends[$0].rule == .deny } }
        if mayBeDenied && !isCurrent { return .open("a deletion of stale objects that may be denied") }
        if !failures.isEmpty { return .invalid(failures) }
        if !context.hasChanges { return .saved }
        if isChild(at) { return isCurrent || contexts[1].sourceEpoch == contexts[0].epoch ? .saved : expectationOfStaleChild() }
        if isCurrent {
            guard context.view.breaksConstraint else { return .saved }
            return context.policy == 0 ? .conflict(code: 133021, must: [], may: Set(context.view.objects.keys)) : .open("a constraint")
        }
        return expectationOfStaleSave(at)
    }

    /// The objects whose rows a save of a context changes.
    private func changedRows(_ at: Int) -> Set<Int> {
        Set(contexts[at].view.objects.keys.filter { contexts[at].view.row($0) != contexts[at].base.row($0) })
    }

    /// What a context newly leads to.
    private func newDestinations(_ at: Int) -> [(tag: Int, other: Int)] {
        let (view, base) = (contexts[at].view, contexts[at].base)
        return view.objects.flatMap { tag, object in
            object.refs.flatMap { end, others in
                let isKept = !schema.ends[end].isToMany || schema.ends[schema.ends[end].inverse].isToMany
                return isKept ? others.filter { !base[tag, end].contains($0) }.map { (tag, $0) } : []
            }
        }
    }

    private func expectationOfStaleChild() -> Expectation {
        let (child, parent) = (contexts[1], contexts[0])
        let touched = Set(
            child.view.objects.keys.filter { child.base.objects[$0] != nil && child.view.sorted($0) != child.base.sorted($0) })
        let lost = touched.contains { parent.view.objects[$0] == nil }
        let dangling = newDestinations(1).contains { parent.view.objects[$0.other] == nil && child.base.objects[$0.other] != nil }
        return lost || dangling || !child.view.deleted.isEmpty ? .open("a child of a parent that went on") : .saved
    }

    private func expectationOfStaleSave(_ at: Int) -> Expectation {
        let context = contexts[at]
        if deletesWhatWasUnlinked(at) { return .open("a cascade over links that others removed") }
        let ordered = NaiveStore.ordered(context.view, since: context.base)
        for deleted in context.view.deleted.keys {
            for (tag, object) in store.graph.objects where context.view.deleted[tag] == nil {
                for (end, others) in object.refs where others.contains(deleted) {
                    if !context.base[tag, end].contains(deleted) { return .open("others lead to what is deleted") }
                }
            }
        }
        for (index, end) in schema.ends.enumerated() where end.shape == .ordered {
            for (tag, object) in context.view.objects where object[index] != context.base[tag, index] {
                let written = [tag] + object[index]
                if written.contains(where: { context.base.objects[$0] != nil && store.graph.objects[$0] == nil }) {
                    return .open("an order with what is gone")
                }
            }
        }
        let rows = changedRows(at)
        var (must, may): (Set<Int>, Set<Int>) = ([], [])
        for tag in rows where context.base.objects[tag] != nil && store.versions[tag] != context.versions[tag] { must.insert(tag) }
        for tag in context.view.deleted.keys where store.versions[tag] != context.versions[tag] {
            if store.graph.objects[tag] == nil { may.insert(tag) } else { must.insert(tag) }
        }
        for tag in ordered where context.base.objects[tag] != nil && store.versions[tag] != context.versions[tag] { may.insert(tag) }
        let pairs = context.touchedPairs.filter { context.base.objects[$0] != nil }
        for tag in pairs where store.versions[tag] != context.versions[tag] && !must.contains(tag) { may.insert(tag) }
        for tag in rows.union(ordered).union(pairs).union(context.view.deleted.keys) {
            let isMaybeWritten = store.maybe[tag]?.contains { $0.epoch > context.sourceEpoch && $0.author != at } == true
            if isMaybeWritten { may.insert(tag) }
        }
        let isDoubtful = merged(at).graph.breaksConstraint
        for (tag, other) in newDestinations(at) where store.graph.objects[other] == nil && context.base.objects[other] != nil {
            // Where versions stand against the save, or constraints, nothing else need be told.
            if must.isEmpty && may.isEmpty && !isDoubtful { must.insert(tag) } else { may.formUnion([tag, other]) }
            may.insert(other)
            may.formUnion(ordered)
        }
        if !must.isEmpty {
            return context.policy == 0
                ? .conflict(code: 133020, must: must, may: may) : .open("conflicts under policy \(context.policy)")
        }
        if !may.isEmpty { return .open("rows that may have been written") }
        guard merged(at).graph.breaksConstraint else { return .saved }
        return context.policy == 0 ? .conflict(code: 133021, must: [], may: Set(context.view.objects.keys)) : .open("a constraint")
    }

    // MARK: - What is saved

    /// A relationship of an object whose order two contexts changed.
    struct Loose: Hashable {
        let tag: Int
        let end: Int
    }

    /// What is stored when a context that did not read all that there is saves, and which orders may be any.
    func merged(_ at: Int) -> (graph: NaiveGraph, loose: Set<Loose>) {
        let (view, base) = (contexts[at].view, contexts[at].base)
        var graph = store.graph
        var loose: Set<Loose> = []
        for tag in view.deleted.keys {
            graph.objects[tag] = nil
            graph.objects = graph.objects.mapValues { object in
                var object = object
                object.refs = object.refs.mapValues { $0.filter { $0 != tag } }
                return object
            }
        }
        for tag in view.objects.keys where view.row(tag) != base.row(tag) {
            guard var object = view.row(tag) else { continue }
            for (end, others) in graph.objects[tag]?.refs ?? [:] where schema.ends[end].isToMany { object.refs[end] = others }
            graph.objects[tag] = object
        }
        for tag in graph.objects.keys {
            guard let object = graph.objects[tag] else { continue }
            for index in schema.ends(of: object.kind) where schema.ends[index].isToMany {
                let inverse = schema.ends[index].inverse
                let (stored, mine, read) = (store.graph[tag, index], view[tag, index], base[tag, index])
                var members: Set<Int>
                if schema.ends[inverse].isToMany {
                    members = Set(stored).subtracting(read.filter { !mine.contains($0) }).union(mine.filter { !read.contains($0) })
                } else {
                    members = Set(graph.objects.keys.filter { graph[$0, inverse] == [tag] })
                }
                members = members.filter { graph.objects[$0] != nil }
                let order = (stored == read ? mine : stored).filter(members.contains)
                let all = order + members.subtracting(order).sorted()
                graph.objects[tag]?.refs[index] = all.isEmpty ? nil : all
                if schema.ends[index].shape == .ordered, stored != read || Set(order) != members {
                    loose.insert(Loose(tag: tag, end: index))
                }
            }
        }
        graph.objects = graph.objects.mapValues { object in
            var object = object
            object.refs = object.refs.filter { !$0.value.isEmpty }
            return object
        }
        return (graph, loose)
    }

    /// Takes note that a context over the store saved; what is stored was seen.
    mutating func didSave(_ at: Int, _ stored: NaiveGraph) {
        let wasCurrent = isInSync(at)
        if !contexts[at].hasChanges { return }
        let own = changedRows(at).union(NaiveStore.ordered(contexts[at].view, since: contexts[at].base))
            .union(contexts[at].touchedPairs)
        store.store(stored, by: at, pairs: contexts[at].touchedPairs)
        for tag in own { contexts[at].versions[tag] = store.versions[tag] }
        for tag in contexts[at].view.deleted.keys { contexts[at].versions[tag] = nil }
        contexts[at].settle()
        if wasCurrent { contexts[at].sourceEpoch = store.epoch }
    }

    /// Takes note that the child saved: its changes are made in the parent as if they were made there.
    ///
    /// - Returns: The orders of the parent's that may be any.
    mutating func didSaveChild() -> Set<Loose> {
        let (view, base) = (contexts[1].view, contexts[1].base)
        let isCurrent = contexts[1].sourceEpoch == contexts[0].epoch
        var loose: Set<Loose> = []
        let (isNewInParent, schema) = (isNew(0), schema)
        _ = change(0) { parent in
            if isCurrent {
                for (tag, object) in view.deleted where !isNewInParent(tag) { parent.deleted[tag] = object }
                parent.objects = view.objects
                return
            }
            for tag in view.objects.keys.sorted() where base.objects[tag] == nil {
                parent.objects[tag] = NaiveObject(kind: view.objects[tag]?.kind ?? 0, values: view.objects[tag]?.values ?? [])
            }
            for tag in view.objects.keys.sorted() {
                guard let object = view.objects[tag] else { continue }
                for index in object.values.indices where base.objects[tag]?.values[index] != object.values[index] {
                    parent.objects[tag]?.values[index] = object.values[index]
                }
                for index in schema.ends(of: object.kind) where base[tag, index] != object[index] {
                    let end = schema.ends[index]
                    if end.shape == .one {
                        parent.relate(tag, index, to: object[index])
                    } else if schema.ends[end.inverse].isToMany {
                        for other in object[index] where !base[tag, index].contains(other) { parent.link(tag, index, other) }
                        for other in base[tag, index] where !object[index].contains(other) { parent.unlink(tag, index, other) }
                    }
                }
            }
            for (index, end) in schema.ends.enumerated() where end.shape == .ordered {
                for tag in view.objects.keys { loose.insert(Loose(tag: tag, end: index)) }
            }
        }
        contexts[1].settle()
        if isCurrent { contexts[1].sourceEpoch = contexts[0].epoch }
        return loose
    }
}
