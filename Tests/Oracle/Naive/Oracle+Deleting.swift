// Deletions in contexts that did not read all that there is: a cascade reads anew which members belong to an object still.

extension Oracle {
    /// Whether a deletion takes with it what the context sees, as what it reads anew is as it was.
    func deletesWhatIsSeen(_ at: Int, _ tag: Int) -> Bool {
        if isInSync(at) { return true }
        var (due, seen): ([Int], Set<Int>) = ([tag], [])
        while let tag = due.popLast() {
            guard seen.insert(tag).inserted, let object = contexts[at].view.objects[tag] else { continue }
            for end in schema.ends(of: object.kind) where schema.ends[end].rule == .cascade {
                if !isAsRead(at, tag, end, object[end]) { return false }
                due += object[end]
            }
        }
        return true
    }

    /// Whether the destinations of an object are those that it has where the context reads them.
    private func isAsRead(_ at: Int, _ tag: Int, _ end: Int, _ members: [Int]) -> Bool {
        let inverse = schema.ends[end].inverse
        if schema.ends[end].isToMany && schema.ends[inverse].isToMany {
            let read = contexts[at].base.sorted(tag)?[end] ?? []
            if isChild(at) && contexts[0].view.sorted(tag)?[end] ?? [] != read { return false }
            return store.graph.sorted(tag)?[end] ?? [] == contexts[isChild(at) ? 0 : at].base.sorted(tag)?[end] ?? []
        }
        // A context over the store compares the rows that it has, and the save their versions.
        guard isChild(at) else { return true }
        return ([tag] + members).allSatisfy { contexts[0].view.row($0) == contexts[1].base.row($0) }
    }

    /// Whether a context deletes objects over links that others removed since.
    func deletesWhatWasUnlinked(_ at: Int) -> Bool {
        let (view, base) = (contexts[at].view, contexts[at].base)
        return view.deleted.contains { tag, object in
            schema.ends(of: object.kind).contains { end in
                guard schema.ends[end].rule == .cascade, schema.ends[end].isToMany, schema.ends[schema.ends[end].inverse].isToMany else {
                    return false
                }
                return base[tag, end].contains { view.deleted[$0] != nil && !store.graph[tag, end].contains($0) }
            }
        }
    }
}
